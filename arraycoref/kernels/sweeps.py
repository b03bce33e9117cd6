"""Build the contingency cells of one key against a block of responses, from raw labels, the key's order given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.jit import kernel


@kernel
def _slot(label, seed, shift):
    """Hash a label to the top bits; the seed keeps anybody from choosing labels that collide."""
    x = np.uint64(label) ^ seed
    x = (x ^ (x >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.int64(x >> shift)


@kernel
def _label_range(labels, smallest, largest):
    """Widen (smallest, largest) to the labels that are present, those >= 0; the least of all labels comes third."""
    least = np.int64(0)
    for m in range(labels.size):
        label = labels[m]
        least = min(least, label)
        largest = max(largest, label)
        smallest = min(smallest, label if label >= 0 else np.int64(9223372036854775807))
    return smallest, largest, least


@kernel
def _number_by_table(labels, smallest, table, dense, size, n):
    """Number entities from 1 by first appearance, 0 for absent mentions; return the last number so far.

    The table holds 0 at slot 0, for the label -1, and -1 elsewhere but for entities that have a number. No branch
    depends on a label: a processor would guess it wrong too often.
    """
    for m in range(labels.size):
        slot = max(labels[m] - smallest + 1, 0)
        entity = table[slot]
        n += entity < 0
        entity = n if entity < 0 else entity
        table[slot] = entity
        size[entity] += 1
        dense[m] = entity
    return n


@kernel
def _number_by_hash(labels, seed, shift, table, hashed, dense, size, n):
    """Number entities as `_number_by_table` does, through a hash table of numbers, -1 where it is free."""
    for m in range(labels.size):
        label = labels[m]
        if label < 0:
            dense[m] = 0
            continue
        slot = _slot(label, seed, shift)
        while table[slot] >= 0 and hashed[slot] != label:
            slot = slot + 1 if slot + 1 < table.size else 0
        if table[slot] < 0:
            n += 1
            table[slot] = n
            hashed[slot] = label
        size[table[slot]] += 1
        dense[m] = table[slot]
    return n


@kernel
def _drop_singletons(dense, size, n):
    """Mark the mentions of one-mention entities as absent, number the others anew; return the last number."""
    number = np.zeros(n + 1, np.int32)
    kept = 0
    for r in range(1, n + 1):
        if size[r] > 1:
            kept += 1
            number[r] = kept
            size[kept] = size[r]
    for m in range(dense.size):
        dense[m] = number[dense[m]]
    return kept


@kernel
def block_cells(
    labels: NDArray[np.int64],
    extra: NDArray[np.int64],
    extra_offsets: NDArray[np.int64],
    offsets: NDArray[np.int64],
    order: NDArray[np.int32],
    entity_of: NDArray[np.int32],
    first_entity: int,
    row_offsets: NDArray[np.int64],
    drop: bool,
    seed: np.uint64,
    key_size: NDArray[np.int64],
    shared: NDArray[np.int64],
    cell_key: NDArray[np.int64],
    cell_response: NDArray[np.int64],
    cell_offsets: NDArray[np.int64],
    key_start: NDArray[np.int64],
    response_size: NDArray[np.int64],
    response_offsets: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> int:
    """Fill the cells of S responses to D documents, as if they were S * D documents, response after response.

    One loop over the mentions of a document, one over its cells, one over its response entities: loops over the
    mentions of each entity would be too short for a processor to guess where they end.

    Args:
        labels: int64 (S, M) entity of each mention of the key's index in each response, -1 where it lacks the mention.
        extra: int64 (E,) entities of response mentions outside the key's index, which the key lacks.
        extra_offsets: int64 (S*D+1,) bounds of each response's documents in ``extra``.
        offsets: int64 (D+1,) document bounds in a row of ``labels``, from 0; not checked.
        order: int32 (key mentions,) the mentions that the key has, by document and entity, counted from the document's
            first; those of an entity ascending.
        entity_of: int32 (key mentions,) the entity of each, ascending by one at a time from ``first_entity``.
        first_entity: the first of the A entities.
        row_offsets: int64 (D+1,) document bounds in ``order``, from 0.
        drop: leave out response entities of one mention.
        seed: of the hash that labels too scattered for a table go through; the result does not depend on it.
        key_size: int64 (S*A,) k_i.
        shared: int64 (S * key mentions + 1,) receives n_ij of each cell; the last is scratch.
        cell_key: int64, as long; receives key entities, numbered through all S * D documents.
        cell_response: int64, as long; receives response entities, likewise.
        cell_offsets: int64 (S*D+1,) receives document bounds of the cells.
        key_start: int64 (S*A+1,) receives the first cell of each key entity.
        response_size: int64 (labels and extras,) receives r_j.
        response_offsets: int64 (S*D+1,) receives document bounds of the response entities.
        totals: int64 (9, S*D) receives, a document a column, the totals that
            `arraycoref.kernels.contingency.contingency_document` tells, but for those of the key alone (0 and 3).

    Returns:
        The number of cells; or -1 - s if response s holds a label below -1, where the kernel stops.
    """
    n_documents = offsets.size - 1
    n_key = (key_start.size - 1) // max(labels.shape[0], 1)
    longest = 0
    for v in range(extra_offsets.size - 1):
        d = v % n_documents
        longest = max(longest, offsets[d + 1] - offsets[d] + extra_offsets[v + 1] - extra_offsets[v])
    dense = np.empty(longest, np.int32)
    table = np.empty(4 * longest + 64, np.int32)
    hashed = np.empty(1, np.int64)
    size = np.empty(longest + 1, np.int32)
    cell_at = np.empty(longest + 1, np.int64)  # the last cell of each response entity
    in_cells = np.empty(longest + 1, np.int64)  # its mentions in all cells
    absent = shared.size - 1
    shared[absent] = 0
    n_cells = 0
    n_response = 0
    for v in range(extra_offsets.size - 1):
        s = v // n_documents
        d = v - s * n_documents
        row = labels[s, offsets[d] : offsets[d + 1]]
        more = extra[extra_offsets[v] : extra_offsets[v + 1]]
        n = row.size + more.size

        smallest, largest, least = _label_range(row, np.int64(9223372036854775807), np.int64(-1))
        if more.size > 0:
            smallest, largest, also = _label_range(more, smallest, largest)
            least = min(least, also)
        if least < -1:
            return -1 - s
        size[: n + 1] = 0
        if largest < 0:
            dense[:n] = 0
            entities = 0
        elif largest - smallest < 4 * n + 62:
            table[0] = 0
            table[1 : largest - smallest + 2] = -1
            entities = _number_by_table(row, smallest, table, dense, size, 0)
            if more.size > 0:
                entities = _number_by_table(more, smallest, table, dense[row.size :], size, entities)
        else:
            slots = 64
            shift = 58
            while slots < 2 * n:
                slots *= 2
                shift -= 1
            if hashed.size < slots:
                hashed = np.empty(slots, np.int64)
            table[:slots] = -1
            used = table[:slots]
            entities = _number_by_hash(row, seed, np.uint64(shift), used, hashed, dense, size, 0)
            if more.size > 0:
                entities = _number_by_hash(
                    more, seed, np.uint64(shift), used, hashed, dense[row.size :], size, entities
                )
        if drop:
            entities = _drop_singletons(dense[:n], size, entities)

        cell_at[: entities + 1] = -1
        cell_at[0] = absent  # absent mentions open no cell
        in_cells[: entities + 1] = 0
        cell_offsets[v] = n_cells
        numbered = s * n_key - first_entity
        here = order[row_offsets[d] : row_offsets[d + 1]]
        entities_here = entity_of[row_offsets[d] : row_offsets[d + 1]]
        before = np.int32(-1)  # the entity of the mention before
        start = np.int64(n_cells)  # its first cell
        common = np.int64(0)  # its mentions so far that the response has
        n_shared = np.int64(0)
        shared_key_links = np.int64(0)
        shared_links = np.int64(0)
        for p in range(here.size):
            # Masks, 0 or -1, in the place of branches, which a processor would guess wrong at each new cell; unsigned
            # indices, for which numba does not ask whether they count from the end.
            r = dense[np.uint32(here[p])]
            same = -np.int64(entities_here[p] == before)
            before = entities_here[p]
            start = n_cells ^ ((n_cells ^ start) & same)
            common &= same
            c = cell_at[np.uint32(r)]
            new = (c - start) >> 63
            c ^= (c ^ n_cells) & new
            n_cells -= new
            cell_at[np.uint32(r)] = c
            entity = numbered + before
            key_start[np.uint64(entity)] = start
            cell_key[np.uint64(c)] = entity
            cell_response[np.uint64(c)] = r
            members = shared[np.uint64(c)] & ~new
            shared[np.uint64(c)] = members + 1
            # A mention that joins n others adds n links; so the pairs of each cell and entity are counted.
            present = np.int64(-r) >> 63
            shared_links += members & present
            shared_key_links += common & present
            common -= present
            n_shared -= present

        n_shared_singletons = np.int64(0)
        for c in range(np.uint64(cell_offsets[v]), np.uint64(n_cells)):
            r = np.uint64(cell_response[c])
            in_cells[r] += shared[c]
            cell_response[c] += n_response - 1
            n_shared_singletons += (key_size[np.uint64(cell_key[c])] == 1) & (size[r] == 1)
        n_response_mentions = np.int64(0)
        response_links = np.int64(0)
        shared_response_links = np.int64(0)
        for r in range(1, entities + 1):
            members = np.int64(size[r])
            response_size[n_response + r - 1] = members
            n_response_mentions += members
            response_links += members * (members - 1) // 2
            shared_response_links += in_cells[r] * (in_cells[r] - 1) // 2

        totals[1, v] = n_response_mentions
        totals[2, v] = n_shared
        totals[4, v] = response_links
        totals[5, v] = shared_key_links
        totals[6, v] = shared_response_links
        totals[7, v] = shared_links
        totals[8, v] = n_shared_singletons
        response_offsets[v] = n_response
        n_response += entities
    cell_offsets[extra_offsets.size - 1] = n_cells
    response_offsets[extra_offsets.size - 1] = n_response
    key_start[key_start.size - 1] = n_cells
    return n_cells
