import { pauses } from '../lib/slices.ts'

/** JSON text in pieces: as one value, a very large answer would block the event loop. */
type Text = readonly Buffer[]

const [start, comma, end, close] = [
  Buffer.from('['),
  Buffer.from(','),
  Buffer.from(']'),
  Buffer.from('}'),
]

/** Returns an object as text: the members of `head`, then members that are text already. */
export function jsonObject(head: object, members: Record<string, Text | undefined>): Buffer[] {
  const text = JSON.stringify(head).slice(0, -1)
  const pieces: Buffer[] = [Buffer.from(text)]

  for (const [name, value] of Object.entries(members)) {
    if (!value) continue
    const separator = text === '{' && pieces.length === 1 ? '' : ','
    pieces.push(Buffer.from(`${separator}"${name}":`), ...value)
  }

  pieces.push(close)

  return pieces
}

/** Returns an array as text; yields to the event loop between items. */
export async function jsonArray<Item>(
  items: readonly Item[],
  textOf: (item: Item) => Text | Promise<Text>,
  signal?: AbortSignal,
): Promise<Buffer[]> {
  const pieces: Buffer[] = [start]
  const pause = pauses(signal)

  for (const item of items) {
    if (pieces.length > 1) pieces.push(comma)
    pieces.push(...(await textOf(item)))
    await pause()
  }

  pieces.push(end)

  return pieces
}
