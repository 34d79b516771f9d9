// SPDX-License-Identifier: Apache-2.0
//
// The common part of OpScan's kernels. The text before this one is operatorSource()'s.
// With SEGMENTED, items carry a flag that starts a segment: earlier items have no effect.

T mapped(IN_VALUE v) { return TERM_OF(v); }

#ifdef SEGMENTED
struct Item {
    T value;
    uint head; // 1 if a segment starts in the elements that the item stands for
};
Item join(Item a, Item b) {
    T both = combine(a.value, b.value);
    return Item(b.head != 0u ? b.value : both, a.head | b.head);
}
Item nothing() { return Item(identity(), 0u); }
Item itemOf(T value, bool head) { return Item(value, head ? 1u : 0u); }
#define VALUE(item) (item).value
#define HEAD(item) (item).head
#ifdef SUBGROUPS
Item lanesValue(Item x, uint lane) {
    return Item(lanesValue(x.value, lane), lanesValue(x.head, lane));
}
#endif
#else
#define Item T
Item join(Item a, Item b) { return combine(a, b); }
Item nothing() { return identity(); }
Item itemOf(T value, bool head) { return value; }
#define VALUE(item) (item)
#define HEAD(item) 0u
#endif
