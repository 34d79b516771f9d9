// SPDX-License-Identifier: Apache-2.0
//
// What is before a tile, found in what other work groups of the same dispatch publish in `states`
// (Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016). Here it
// is the same to the last bit from run to run, whoever is first: tiles belong to chunks of as many
// as a subgroup has lanes. A chunk's total is a tree of its tiles' totals, what is before a chunk
// is the totals of the chunks before it, one after the other, and what is before a tile in its chunk
// is a tree again. So all that is published has one value, and a tile looks once at its chunk's
// tiles and once at the chunks before, both at a time. A work group that waits in vain for a tile
// computes that tile's total itself (Smith, Levien and Owens, "Decoupled Fallback", 2025), so that
// no work group depends on the progress of another one.
//
// The text before this one defines Item, join(), nothing(), with SUBGROUPS lanesValue(Item), and
// incoming(): what is before the first tile. In memory, an item is ITEM_WORDS words, wordOf() and
// itemOfWords(), and COMPLETE is a bit of each word that is there: a word is valid by itself, so no
// order between memory accesses is needed. SPINS: how often a work group looks before it helps.
//
// `states` begins with the total of each tile. Two items per chunk follow: its total, and all up to
// its end.

#ifdef SUBGROUPS
#define CHUNK gl_SubgroupSize
#else
#define CHUNK 32u
#endif

const uint kNone = 0xffffffffu;

uint placeOfTotal(uint tile) { return firstState + tile * ITEM_WORDS; }
uint placeOfChunk(uint chunk, uint slot) {
    return firstState + (tileCount() + 2u * chunk + slot) * ITEM_WORDS;
}

void publishAt(uint place, Item item) {
    [[unroll]] for (uint word = 0; word < ITEM_WORDS; ++word)
        STORE_RELAXED(states[place + word], wordOf(item, word));
}

bool lookAt(uint place, out Item item) {
    uint words[ITEM_WORDS];
    uint all = COMPLETE;
    [[unroll]] for (uint word = 0; word < ITEM_WORDS; ++word) {
        words[word] = LOAD_RELAXED(states[place + word]);
        all &= words[word];
    }
    item = itemOfWords(words);
    return all != 0u;
}

// Publishes the total of another work group's tile, unless that has done so meanwhile.
void publishFor(uint tile, Item total) {
    [[unroll]] for (uint word = 0; word < ITEM_WORDS; ++word)
        atomicCompSwap(states[placeOfTotal(tile) + word], 0u, wordOf(total, word));
}

#ifdef SUBGROUPS
// The lanes' items as a tree.
Item foldLanes(Item item) {
    for (uint m = 1u; m < gl_SubgroupSize; m *= 2u)
        item = join(item, lanesValue(item, (gl_SubgroupInvocationID + m) & (gl_SubgroupSize - 1u)));
    return lanesValue(item, 0u);
}

// Gives each lane the total of a tile of a chunk, and nothing() from `tiles` on. Returns kNone, or the
// first tile that is missing.
uint lookAtTiles(uint chunk, uint tiles, out Item item) {
    uint lane = gl_SubgroupInvocationID;
    bool there = true;
    item = nothing();
    if (lane < tiles)
        there = lookAt(placeOfTotal(chunk * CHUNK + lane), item);
    uvec4 absent = subgroupBallot(!there);
    return absent == uvec4(0u) ? kNone : chunk * CHUNK + subgroupBallotFindLSB(absent);
}

// What the lanes know of as many chunks before `end`.
struct Chunks {
    Item totals;
    Item prefixes;
    bool hasPrefix; // of any lane
    uint from;      // the last lane with a prefix
    uint missing;   // the first lane after it without a total, or kNone
};

Chunks lookAtChunks(uint end) {
    uint lane = gl_SubgroupInvocationID;
    int chunk = int(end) - int(CHUNK) + int(lane);
    Chunks chunks;
    bool hasTotal = true;
    bool hasPrefix = true;
    chunks.totals = nothing();
    if (chunk < 0) {
        chunks.prefixes = incoming();
    } else {
        hasPrefix = lookAt(placeOfChunk(uint(chunk), 1u), chunks.prefixes);
        hasTotal = lookAt(placeOfChunk(uint(chunk), 0u), chunks.totals);
    }
    uvec4 known = subgroupBallot(hasPrefix);
    chunks.hasPrefix = known != uvec4(0u);
    chunks.from = chunks.hasPrefix ? subgroupBallotFindMSB(known) : 0u;
    uvec4 absent = subgroupBallot(!hasTotal && (!chunks.hasPrefix || lane > chunks.from));
    chunks.missing = absent != uvec4(0u) ? subgroupBallotFindLSB(absent) : kNone;
    return chunks;
}

// Adds the totals of chunks to what is before them, one after the other.
Item afterChunks(Item before, Chunks chunks) {
    uint lane = 0u;
    if (chunks.hasPrefix) {
        before = lanesValue(chunks.prefixes, chunks.from);
        lane = chunks.from + 1u;
    }
    for (; lane < gl_SubgroupSize; ++lane)
        before = join(before, lanesValue(chunks.totals, lane));
    return before;
}

// Called by one subgroup. Returns kNone and what is before the tile, or a tile that is missing.
// @param total  of the tile
uint lookBack(uint tile, Item total, bool silent, out Item prefix) {
    uint chunk = tile / CHUNK;
    uint place = tile % CHUNK;
    bool isFirst = gl_SubgroupInvocationID == 0u; // lane
    bool isLast = place == CHUNK - 1u;            // tile of its chunk
    prefix = nothing();
    Item before = nothing(); // in the chunk
    Item all = nothing();    // the chunk, for its last tile
    Chunks chunks;
    uint end = chunk; // of the chunks in the window
    bool hasTiles = false;
    bool hasPrefix = false; // of the window
    for (uint spin = 0u;; ++spin) {
        chunks = lookAtChunks(end);
        if (!hasTiles) {
            Item item;
            uint missing = lookAtTiles(chunk, place, item);
            if (missing != kNone) {
                if (spin >= SPINS)
                    return missing;
                continue;
            }
            hasTiles = true;
            before = foldLanes(item);
            if (isLast) {
                if (gl_SubgroupInvocationID == place)
                    item = total;
                all = foldLanes(item);
                if (isFirst && !silent)
                    publishAt(placeOfChunk(chunk, 0u), all);
            }
        }
        if (chunks.missing != kNone) {
            if (spin < SPINS)
                continue;
            uint absent = end - CHUNK + chunks.missing;
            Item item;
            uint missing = lookAtTiles(absent, CHUNK, item);
            if (missing != kNone)
                return missing;
            item = foldLanes(item);
            if (isFirst)
                publishAt(placeOfChunk(absent, 0u), item);
        } else if (chunks.hasPrefix || hasPrefix) {
            prefix = afterChunks(prefix, chunks);
            hasPrefix = true;
            if (end == chunk)
                break;
            end += CHUNK;
        } else {
            end -= CHUNK;
        }
    }
    if (isFirst && !silent) {
        if (place == 0u && chunk > 0u)
            publishAt(placeOfChunk(chunk - 1u, 1u), prefix);
        if (isLast)
            publishAt(placeOfChunk(chunk, 1u), join(prefix, all));
    }
    prefix = join(prefix, before);
    return kNone;
}
#else
uint foldTiles(uint chunk, uint tiles, out Item sum) {
    sum = nothing();
    for (uint tile = chunk * CHUNK; tile < chunk * CHUNK + tiles; ++tile) {
        Item item;
        for (uint spin = 0u; !lookAt(placeOfTotal(tile), item); ++spin)
            if (spin >= SPINS)
                return tile;
        sum = join(sum, item);
    }
    return kNone;
}

// Called by one invocation.
uint lookBack(uint tile, Item total, bool silent, out Item prefix) {
    uint chunk = tile / CHUNK;
    uint from = chunk; // the chunk after the last one of which everything up to its end is known
    prefix = incoming();
    for (; from > 0u; --from) {
        Item known;
        if (lookAt(placeOfChunk(from - 1u, 1u), known)) {
            prefix = known;
            break;
        }
    }
    Item sum;
    for (; from < chunk; ++from) {
        if (!lookAt(placeOfChunk(from, 0u), sum)) {
            uint missing = foldTiles(from, CHUNK, sum);
            if (missing != kNone)
                return missing;
            publishAt(placeOfChunk(from, 0u), sum);
        }
        prefix = join(prefix, sum);
    }
    if (chunk > 0u && !silent)
        publishAt(placeOfChunk(chunk - 1u, 1u), prefix);
    uint missing = foldTiles(chunk, tile % CHUNK, sum);
    if (missing != kNone)
        return missing;
    prefix = join(prefix, sum);
    return kNone;
}
#endif
