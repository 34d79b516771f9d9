// SPDX-License-Identifier: Apache-2.0
//
// The prefix of a tile, from the values that other work groups of the same dispatch publish in
// `states` (Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back",
// 2016). Here it is the same to the last bit from run to run, in any order of execution: tiles
// belong to chunks of as many as a subgroup has lanes. A chunk's total is a tree of its tiles'
// totals, a chunk's prefix adds the totals of the preceding chunks in order, and a tile's prefix in
// its chunk is a tree again. So each published value is unique, and a tile reads its chunk's tiles
// once and the preceding chunks once, both at the same time. A work group that waits too long for a
// tile computes that tile's total itself (Smith, Levien and Owens, "Decoupled Fallback", 2025), so
// that no work group depends on the progress of another one.
//
// The text before this one defines Item, join(), nothing(), with SUBGROUPS lanesValue(Item), and
// incoming(): the prefix of the first tile. In memory, an item is ITEM_WORDS words, wordOf() and
// itemOfWords(), and COMPLETE is a bit of each word that is there: a word is valid by itself, so no
// order between memory accesses is needed. SPINS: how many times a work group looks before it helps.
// PAUSE: how long it waits before the first read, in steps of some nanoseconds: reading early only
// costs bandwidth.
//
// `states` begins with the total of each tile. Two items per chunk follow: its total, and all up to
// its end.

#ifndef PAUSE
#define PAUSE 0u
#endif
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

void readWords(uint place, out uint words[ITEM_WORDS]) {
    [[unroll]] for (uint word = 0; word < ITEM_WORDS; ++word)
        words[word] = LOAD_RELAXED(states[place + word]);
}
bool areThere(uint words[ITEM_WORDS]) {
    uint all = COMPLETE;
    [[unroll]] for (uint word = 0; word < ITEM_WORDS; ++word)
        all &= words[word];
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

// A lane's view of an item that others publish.
struct Sight {
    Item item;
    bool there;
};

void see(uint words[ITEM_WORDS], inout Sight sight) {
    if (areThere(words)) {
        sight.item = itemOfWords(words);
        sight.there = true;
    }
}

// This lane's view of its chunk, one of as many chunks before `end` as there are lanes.
struct Window {
    uint end;
    Sight total;
    Sight prefix;
};

Window windowBefore(uint end) {
    bool isBeforeAll = gl_SubgroupInvocationID + end < CHUNK;
    return Window(end, Sight(nothing(), isBeforeAll), Sight(incoming(), isBeforeAll));
}

// Adds the totals of the chunks of a window to their prefix, one after the other.
// @param known  the lanes with a prefix
Item afterChunks(Item before, Window window, uvec4 known) {
    uint lane = 0u;
    if (known != uvec4(0u)) {
        lane = subgroupBallotFindMSB(known);
        before = lanesValue(window.prefix.item, lane);
        ++lane;
    }
    for (; lane < gl_SubgroupSize; ++lane)
        before = join(before, lanesValue(window.total.item, lane));
    return before;
}

// Takes PAUSE multiplications and additions, one after the other. Returns 0, mostly: compilers cannot
// leave out what they do not know.
uint pause() {
    uint x = gl_SubgroupInvocationID;
    [[dont_unroll]] for (uint i = 0u; i < PAUSE; ++i)
        x = x * 1664525u + 1013904223u; // (Numerical Recipes' generator)
    return x == kNone ? 1u : 0u;
}

// Called by one subgroup. Returns kNone and the prefix of the tile, or a tile that is missing.
// @param total  of the tile
uint lookBack(uint tile, Item total, bool silent, out Item prefix) {
    uint lane = gl_SubgroupInvocationID;
    uint chunk = tile / CHUNK;
    uint place = tile % CHUNK;
    bool isFirst = lane == 0u;
    bool isLast = place == CHUNK - 1u; // tile of its chunk
    prefix = nothing();
    Item before = nothing(); // in the chunk
    Item all = nothing();    // the chunk, for its last tile
    Sight own = Sight(nothing(), lane >= place); // the tiles before in the chunk
    Window window = windowBefore(chunk);
    bool hasTiles = false;
    bool hasPrefix = false; // of the window
    for (uint spin = pause();; ++spin) {
        // All reads at the same time, and none of known values: others wait for the same memory.
        uint ownWords[ITEM_WORDS];
        uint totalWords[ITEM_WORDS];
        uint prefixWords[ITEM_WORDS];
        [[unroll]] for (uint word = 0; word < ITEM_WORDS; ++word)
            ownWords[word] = totalWords[word] = prefixWords[word] = 0u;
        uint at = window.end + lane - CHUNK;
        if (!own.there)
            readWords(placeOfTotal(chunk * CHUNK + lane), ownWords);
        if (!window.prefix.there) {
            readWords(placeOfChunk(at, 1u), prefixWords);
            if (!window.total.there)
                readWords(placeOfChunk(at, 0u), totalWords);
        }
        see(ownWords, own);
        see(prefixWords, window.prefix);
        see(totalWords, window.total);
        if (!hasTiles) {
            uvec4 absent = subgroupBallot(!own.there);
            if (absent != uvec4(0u)) {
                if (spin >= SPINS)
                    return chunk * CHUNK + subgroupBallotFindLSB(absent);
                continue;
            }
            hasTiles = true;
            before = foldLanes(own.item);
            if (isLast) {
                all = foldLanes(lane == place ? total : own.item);
                if (isFirst && !silent)
                    publishAt(placeOfChunk(chunk, 0u), all);
            }
        }
        uvec4 known = subgroupBallot(window.prefix.there);
        bool isNeeded = known == uvec4(0u) || lane > subgroupBallotFindMSB(known);
        uvec4 absent = subgroupBallot(isNeeded && !window.total.there);
        if (absent != uvec4(0u)) {
            if (spin < SPINS)
                continue;
            uint other = window.end + subgroupBallotFindLSB(absent) - CHUNK;
            uint words[ITEM_WORDS];
            readWords(placeOfTotal(other * CHUNK + lane), words);
            Sight sight = Sight(nothing(), false);
            see(words, sight);
            uvec4 gone = subgroupBallot(!sight.there);
            if (gone != uvec4(0u))
                return other * CHUNK + subgroupBallotFindLSB(gone);
            Item sum = foldLanes(sight.item);
            if (isFirst)
                publishAt(placeOfChunk(other, 0u), sum);
        } else if (known != uvec4(0u) || hasPrefix) {
            prefix = afterChunks(prefix, window, known);
            hasPrefix = true;
            if (window.end == chunk)
                break;
            window = windowBefore(window.end + CHUNK);
        } else {
            window = windowBefore(window.end - CHUNK);
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
bool lookAt(uint place, out Item item) {
    uint words[ITEM_WORDS];
    readWords(place, words);
    item = itemOfWords(words);
    return areThere(words);
}

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
