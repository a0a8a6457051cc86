# SPDX-License-Identifier: Apache-2.0
"""The flow of one function: in which order its blocks run so that every join is ready, and its loops.

- rank: a topological order in which the blocks of a loop stand together;
- loops: head -> blocks of the natural loop;
- merge: for a join, the block whose guard it gets back, because all ways from there lead here.
"""


class Flow:
    def __init__(self, blocks, targets, dead):
        self.targets, self.entry = targets, blocks[0]
        order = self._reverse_postorder()
        sources = {b: [] for b in order}
        for b in order:
            for t in targets[b]:
                sources[t].append(b)
        above = _fixpoint(order, sources, {self.entry})
        self.loops = self._find_loops(order, sources, above)
        self.rank = {b: i for i, b in enumerate(self._ordered(set(order), None))}
        self.merge = self._find_merges([b for b in order if b not in dead], sources, above, dead)

    def _reverse_postorder(self):
        out, seen, stack = [], {self.entry}, [(self.entry, iter(self.targets[self.entry]))]
        while stack:
            b, rest = stack[-1]
            t = next((t for t in rest if t not in seen), None)
            if t is None:
                out.append(b)
                stack.pop()
            else:
                seen.add(t)
                stack.append((t, iter(self.targets[t])))
        return out[::-1]

    def _find_loops(self, order, sources, above):
        loops = {}
        for b in order:
            for head in self.targets[b]:
                if head in above[b]:  # a back edge
                    body, stack = {head}, [b]
                    while stack:
                        x = stack.pop()
                        if x not in body:
                            body.add(x)
                            stack += sources[x]
                    loops.setdefault(head, set()).update(body)
        return loops

    def _inner(self, b, strictly=False):
        """The head of the smallest loop around a block."""
        around = [h for h in self.loops if b in self.loops[h] and not (strictly and h == b)]
        return min(around, key=lambda h: len(self.loops[h])) if around else None

    def _ordered(self, nodes, head):
        """Blocks of a loop (of the function where head is None), child loops as one block each."""
        kids = {h: self.loops[h] for h in self.loops if h != head and h in nodes and self._inner(h, True) == head}
        owner = {x: h for h, body in kids.items() for x in body}
        out, seen = [], set()

        def visit(u):
            seen.add(u)
            for x in sorted(kids[u]) if u in kids else [u]:
                for t in self.targets[x]:
                    unit = owner.get(t, t)
                    if t in nodes and t != head and unit != u and unit not in seen:
                        visit(unit)
            out.append(u)
        visit(head if head is not None else owner.get(self.entry, self.entry))
        result = []
        for u in reversed(out):
            result += self._ordered(kids[u], u) if u in kids else [u]
        return result

    def _find_merges(self, live, sources, above, dead):
        """Ways that end in a failed assertion do not count: that they are never taken is a goal."""
        alive = {b: [t for t in self.targets[b] if t not in dead] for b in live}
        below = _fixpoint(live[::-1], alive, {b for b in live if not alive[b]})
        merge = {}
        for b in live:
            if len(sources[b]) > 1 and b not in self.loops:
                d = max(above[b] - {b}, key=lambda x: (len(above[x]), x))
                if b in below.get(d, ()) and self._inner(d) == self._inner(b):
                    merge[b] = d
        return merge


def _fixpoint(order, inputs, ends):
    """Block -> blocks through which every way to it (by inputs, from the ends) leads."""
    found = {b: {b} if b in ends else set(order) for b in order}
    changed = True
    while changed:
        changed = False
        for b in order:
            if b not in ends and inputs[b]:
                new = set.intersection(*(found[p] for p in inputs[b] if p in found)) | {b}
                if new != found[b]:
                    found[b], changed = new, True
    return found
