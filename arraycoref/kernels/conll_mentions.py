"""Combine the items of a CoNLL file, which open and close mentions, into mentions."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.jit import Bytes, Ints, Ints32, U, helper, kernel

NEVER_OPENED, NEVER_CLOSED, TOO_MANY_MENTIONS = range(7, 10)  # kinds of faults, after those of conll_lines
MOST_FAULTS = 1 << 15  # listed at most; the reader gives up after fewer

ONE, TWO, THREE, TOP, BITS = U(1), U(2), U(3), U(56), U(64)
PRIME = (1 << 31) - 1

# Places of `state`, in which pair_items() keeps numbers between two calls.
N_DONE, N_DOCUMENTS, N_MENTIONS, N_ENTITIES, N_OPEN, N_FAULTS, N_SLOTS, N_STATE = range(8)


@helper
def long_key(data: Bytes, at: np.uint64, stop: np.uint64, seed: np.uint64) -> np.int64:
    """Hash an id: the polynomial whose coefficients are its bytes, at a number made from the seed, modulo `PRIME`."""
    base, key = np.int64(seed >> U(34)) + 65536, np.int64(1)
    while at < stop:
        key = key * base + np.int64(data[at])
        key = (key & PRIME) + (key >> 31)
        at += ONE
    return (key & PRIME) + (key >> 31)


@helper
def same_id(data: Bytes, other: np.uint64, end: np.uint64, at: np.uint64, stop: np.uint64) -> bool:
    """Return whether the id from `other` to `end` is the same as the one from `at` to `stop`."""
    if end - other != stop - at:
        return False
    while at < stop and data[other] == data[at]:
        other += ONE
        at += ONE
    return bool(at == stop)


@kernel
def pair_items(
    data: Bytes,
    lenient: bool,
    max_mentions: int,
    seed: np.uint64,
    n_items: int,
    items: Ints,
    state: Ints,
    documents: Ints,
    start: Ints32,
    end: Ints32,
    entity: Ints32,
    line: Ints,
    faults: Ints,
    ids: Ints,
    slots: Ints32,
) -> bool:
    """Combine items into mentions, until there is no room for entities, or a document ends with open mentions.

    Mentions are listed in the order in which they open. The time is linear in the items, even in hostile files: ids are
    looked up in a hash table with a secret `seed`. The open mentions of an entity form a stack: in `end`, each has a
    link to the one that was opened before it. The caller enlarges the arrays, because numba would count references to
    every array in each round of a loop that may replace one. The caller also lists the mentions that never close,
    because few files have any, and every first run would wait until that code is compiled.

    Args:
        data: uint8 (N,) the bytes, read-only and contiguous.
        lenient: go on after a fault; otherwise end with the first one.
        max_mentions: most mentions of a document; at most ``2**31 - 1``.
        seed: odd and secret; results do not depend on it.
        n_items: how many items there are.
        items: int64 (4 I,) as `arraycoref.kernels.conll_lines.scan_lines` lists them.
        state: int64 (N_STATE,) zeros for the first call; read and written. With new items, the caller sets N_DONE to 0.
        documents: int64 (., 6) out: the number of each document's first mention, in column 0; no other is changed.
        start: int32 (.,) out: first token of each mention. `start`, `end`, `entity`, `line` and `faults` must have room
            for one more row per item.
        end: int32 (.,) out: last token, negative if the mention was never closed.
        entity: int32 (.,) out: entity, numbered from 0 in each document.
        line: int64 (.,) out: line on which the mention opens.
        faults: int64 (., 5) out: kind, line, first and past-the-last byte of the id, 0.
        ids: int64 (4 E,) scratch, four numbers per entity: position of its id, the id's key, its latest open mention,
            counted from the document's first, or -1, and the position behind its id.
        slots: int32 (S,) scratch: hash table of entities. S is a power of two, at least 2 E; a new array is all -1.

    Returns:
        True at the end of the items, or at a fault that ends the reading, which leaves ``state[N_DONE] < n_items``.
        False if the next item is the end of a document with open mentions: list them, set ``state[N_OPEN]`` to 0, and
        call again. False also if `ids` and `slots` are full: give them more room, and call again.
    """
    k = U(state[N_DONE])
    n_mentions = U(state[N_MENTIONS])
    n_entities = U(state[N_ENTITIES])
    n_open = state[N_OPEN]
    n_documents = state[N_DOCUMENTS]
    n_faults = state[N_FAULTS]
    most_entities = U(ids.size >> 2)
    mask = U(slots.size - 1)
    first = U(0)
    shift = BITS
    done = True
    while mask >> (BITS - shift):  # the highest bits of key times seed are the number of the slot
        shift -= ONE
    if state[N_SLOTS] != slots.size:
        for e in range(n_entities):
            slot = U(ids[U(e) << TWO | ONE]) * seed >> shift
            while slots[slot] >= 0:
                slot = slot + ONE & mask
            slots[slot] = e
    if n_documents:
        first = U(documents[n_documents - 1, 0])
    while k < U(n_items):
        item = k << TWO
        what = items[item]
        if what < 0:
            if what == -1:
                first = n_mentions
                documents[n_documents, 0] = first
                n_documents += 1
            elif n_open:
                done = False
                break
            else:
                for e in range(n_entities):
                    slot = U(ids[U(e) << TWO | ONE]) * seed >> shift
                    while slots[slot] >= 0:
                        slots[slot] = -1
                        slot = slot + ONE & mask
                n_entities = U(0)
            k += ONE
            continue

        key = items[item | ONE]
        place = U(items[item | TWO])
        token = np.int32((what >> 2) - 1)
        opens, closes, stop = what & 2, what & 1, place + (U(key) >> TOP if key >= 0 else U(-key))
        if key < 0:
            key = -1 - long_key(data, place, stop, seed)
        slot = U(key) * seed >> shift
        who = np.int64(slots[slot])
        while who >= 0:
            row = U(who) << TWO
            if ids[row | ONE] == key and (key >= 0 or same_id(data, U(ids[row]), U(ids[row | THREE]), place, stop)):
                break
            slot = slot + ONE & mask
            who = np.int64(slots[slot])
        row, kind = U(who) << TWO, 0
        if opens and n_mentions - first == U(max_mentions):
            kind = TOO_MANY_MENTIONS
        elif opens:
            if who < 0:
                if n_entities == most_entities:
                    done = False
                    break
                row = n_entities << TWO
                who = np.int64(n_entities)
                slots[slot] = who
                ids[row] = place
                ids[row | ONE] = key
                ids[row | TWO] = -1
                ids[row | THREE] = stop
                n_entities += ONE
            top = ids[row | TWO]
            start[n_mentions] = token
            entity[n_mentions] = who
            line[n_mentions] = items[item | THREE]
            end[n_mentions] = token if closes else np.int32(-2 - top)
            ids[row | TWO] = top if closes else np.int64(n_mentions - first)
            n_open += 1 - closes
            n_mentions += ONE
        elif who < 0 or ids[row | TWO] < 0:
            kind = NEVER_OPENED
        else:
            opened = first + U(ids[row | TWO])
            ids[row | TWO] = -2 - end[opened]
            end[opened] = token
            n_open -= 1
        if kind:
            faults[n_faults, 0] = kind
            faults[n_faults, 1] = items[item | THREE]
            faults[n_faults, 2] = place
            faults[n_faults, 3] = stop
            faults[n_faults, 4] = 0
            n_faults += 1
            if kind == TOO_MANY_MENTIONS or not lenient:
                break
        k += ONE
    state[N_DONE] = k
    state[N_DOCUMENTS] = n_documents
    state[N_MENTIONS] = n_mentions
    state[N_ENTITIES] = n_entities
    state[N_OPEN] = n_open
    state[N_FAULTS] = n_faults
    state[N_SLOTS] = slots.size
    return done
