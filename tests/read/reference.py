"""The rules of the CoNLL reader in plain Python, written from the rules and not from the scanner."""

import re

ITEM = re.compile(rb"(\()?([^()| \t\r\n\v\f]+)(\))?")
BEGIN = re.compile(rb"#[ \t]*begin[ \t]+document(?=[ \t(]|\Z)(.*)", re.DOTALL)
END = re.compile(rb"#(?:end(?=[ \t(]|\Z)|[ \t]*end[ \t]+document(?=[ \t(]|\Z)|[ \t]*end\Z)", re.DOTALL)


def split_items(value: bytes):
    """Return [(opens, id, closes)] of a coreference column, numbers without a bracket too; None where it is not one."""
    items, at = [], 0
    while at < len(value):
        found = ITEM.match(value, at)
        if not found or not (found[1] or found[3] or re.fullmatch(rb"[0-9]+", found[2])):
            return None
        items.append((found[1] is not None, found[2], found[3] is not None))
        at = found.end()
        if value[at : at + 1] == b"|":
            at += 1
            if at == len(value):
                return None
    return items


def without_joints(value: bytes) -> bytes:
    """Return a value with a bar instead of each run of ``_,;`` behind a closing bracket or before an opening one."""
    found, at = b"", 0
    while at < len(value):
        stop = at
        while value[stop : stop + 1] in (b"_", b",", b";"):
            stop += 1
        before, behind = value[at - 1 : at], value[stop : stop + 1]
        closes, opens = before == b")" and behind not in (b"", b"|"), behind == b"(" and before not in (b"", b"(", b"|")
        found += b"|" if stop > at and (closes or opens) else value[at : max(stop, at + 1)]
        at = max(stop, at + 1)
    return found


def has_several(who: bytes) -> bool:
    """Whether an id is several ids, each of letters and digits behind them, or of digits alone."""
    ids = re.split(rb"[+,;]", who)
    return len(ids) > 1 and all(re.fullmatch(rb"[A-Za-z]*[0-9]+", each) for each in ids)


def pick_column(line: bytes, column: int):
    """Return the value of a column; None where the line lacks it."""
    fields = line.split(b"\t") if b"\t" in line else [f for f in line.replace(b"\r", b" ").split(b" ") if f]
    index = column - 1 if column > 0 else column
    return fields[index].strip(b" \r") if -len(fields) <= index < len(fields) else None


class Document:
    def __init__(self, header, line):
        self.header, self.line, self.n_tokens = header, line, 0
        self.mentions = []  # [start, end or None, id, line]
        self.open = {}
        self.lines = []  # as they are in the file, up to its end
        self.n_bare, self.first_bare = 0, None
        self.ids, self.numbered, self.joined, self.blanks = [], {}, set(), []

    def entities(self):
        """Return mentions (start, end, entity, line), entities numbered in the order in which their ids appear."""
        closed = [mention[:4] for mention in self.mentions if mention[1] is not None]
        kept = {who for _, _, who, _ in closed}
        ids = list(dict.fromkeys(who for who in map(self.name_of, self.ids) if who in kept))
        return [(start, end, ids.index(who), line) for start, end, who, line in closed]

    def words(self):
        """Return the tokens of each mention."""
        return [[*range(m[0], m[1] + 1)] if len(m) == 4 else m[4] for m in self.mentions if m[1] is not None]

    def name_of(self, who):
        """Return the number in an id of a part, and any other id as it is."""
        return self.numbered.get(who, who)

    def join_parts(self, format=None):
        """Join the mentions of ids such as ``0a``, if these mark parts; return the first line of each unclear id."""
        lines = {}
        for _, _, who, line in self.mentions:
            lines.setdefault(who, line)
        self.ids = list(lines)
        if format == "conll":
            return []
        parts = {
            who: re.fullmatch(rb"([0-9]+)[A-Za-z]+", who)[1] for who in lines if re.fullmatch(rb"[0-9]+[A-Za-z]+", who)
        }
        numbers = list(parts.values())
        clear = format == "craft" or any(number in lines or numbers.count(number) > 1 for number in numbers)
        spans = {
            who: sorted(((m[0], m[1]), self.sentence(m[3])) for m in self.mentions if m[2] == who and m[1] is not None)
            for who in parts
        }
        could_be = set()
        for who, own in spans.items():
            words = [token for (start, end), _ in own for token in range(start, end + 1)]
            if len(words) == len(set(words)) and (format == "craft" or len({sentence for _, sentence in own}) < 2):
                could_be.add(who)
        if clear:
            unclear = set(parts) - could_be
        else:
            unclear = {who for who in could_be if len(spans[who]) > 1 and any(each.isdigit() for each in lines)}
        self.numbered = parts if clear else {}
        left = []
        for mention in self.mentions:
            who = mention[2]
            if who in unclear:
                continue
            if clear and who in parts and mention[1] is not None:
                if who not in self.joined:
                    self.joined.add(who)
                    words = sorted(token for (start, end), _ in spans[who] for token in range(start, end + 1))
                    left.append([words[0], words[-1], parts[who], mention[3], words])
            else:
                left.append(mention)
        self.mentions = left
        return [lines[who] for who in unclear]

    def sentence(self, line):
        """Return the sentence of a line: how many blank lines of the document are before it."""
        return sum(blank < line for blank in self.blanks)


def parse(data: bytes, column: int = -1, profile: str = "paper", format=None):
    """Read leniently.

    Returns:
        documents, and faults as a sorted list of (line, kind).
    """
    documents, faults, current, told = [], [], None, False
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()

    def close():
        faults.extend((line, "never closed") for _, end, _, line in current.mentions if end is None)
        faults.extend((line, "part") for line in current.join_parts(format))

    for number, raw in enumerate(lines, 1):
        line = raw.rstrip(b" \r")
        ends = line.startswith(b"#") and not line.startswith(b"#\t") and (BEGIN.fullmatch(line) or END.match(line))
        if current and not ends:
            current.lines.append(raw)
        if not line.strip(b" \t\r\v\f"):
            if current:
                current.blanks.append(number)
            continue
        if line.startswith(b"#") and not line.startswith(b"#\t"):
            begin = BEGIN.fullmatch(line)
            if begin:
                if current:
                    faults.append((number, "no end"))
                    close()
                current, told = Document(begin[1].strip(b" \t\r\v\f"), number), False
                documents.append(current)
            elif END.match(line):
                if current:
                    close()
                else:
                    faults.append((number, "no begin"))
                current, told = None, False if current else told
            if current is None or begin or b"\t" not in line or line.startswith(b"# "):
                continue
        if current is None:
            if not told:
                faults.append((number, "outside"))
            told = True
            continue
        token = current.n_tokens
        current.n_tokens += 1
        value = pick_column(line, column)
        if value is None:
            faults.append((number, "too few columns"))
            continue
        if value in (b"", b"_", b"-", b"*"):
            continue
        plain = without_joints(value)
        if plain != value and profile != "conll":
            faults.append((number, "joint"))
        items = split_items(plain)
        if items is None:
            faults.append((number, "bad value"))
            continue
        for opens, who, closes in items:
            is_passed_over = profile == "conll" and opens and closes and re.fullmatch(rb"[0-9]+\+[0-9]", who)
            if has_several(who) and not is_passed_over:
                faults.append((number, "several"))
            elif is_passed_over or not (opens or closes):
                current.n_bare, current.first_bare = current.n_bare + 1, current.first_bare or number
            elif opens:
                mention = [token, token if closes else None, who, number]
                current.mentions.append(mention)
                if not closes:
                    current.open.setdefault(who, []).append(mention)
            elif current.open.get(who):
                current.open[who].pop()[1] = token
            else:
                faults.append((number, "never opened"))
    if current:
        faults.append((len(lines), "no end"))
        close()
    return documents, sorted(faults)


def splits_a_line(data: bytes) -> bool:
    """Whether a carriage return stands within a line, and no blank follows."""
    return re.search(rb"\r[^\r\n \t]", data) is not None


def loses_mentions(document) -> bool:
    """Whether a document without mentions has some, and no fault, without the tab at the end of each line."""
    if document.n_tokens == 0 or document.entities():
        return False
    if sum(line.endswith((b"\t", b"\t\r")) for line in document.lines) < document.n_tokens:
        return False
    found, faults = parse(b"#begin document\n" + b"\n".join(line.rstrip(b" \t\r") for line in document.lines))
    return not faults and bool(found[0].entities()) and found[0].n_tokens == document.n_tokens
