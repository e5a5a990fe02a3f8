/** Items of one group; at least one. */
export type ListGroup<Item> = [Item, ...Item[]]

/** Groups items by a key, in the order of the first item of each group. `Map.groupBy` does the same from Node 21. */
export function groupBy<Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): ReadonlyMap<Key, Readonly<ListGroup<Item>>> {
  const groups = new Map<Key, ListGroup<Item>>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
