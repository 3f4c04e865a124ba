/**
 * Applies a delta of a pack to its base and returns the content. Returns undefined if the delta
 * does not fit the base or the content would exceed `mostBytes`. Format, see gitformat-pack: the
 * sizes of base and result, then copy and insert instructions.
 */
export function applyDelta(base: Buffer, delta: Buffer, mostBytes: number): Buffer | undefined {
  const from = readSize(delta, 0)
  const to = readSize(delta, from.next)
  if (from.size !== base.length || to.size > mostBytes) return undefined

  const result = Buffer.alloc(to.size)
  let filled = 0

  for (let at = to.next; at < delta.length; ) {
    const instruction = delta[at++]!
    if (instruction & 0x80) {
      const { start, length, next } = readCopy(delta, at, instruction)
      if (base.copy(result, filled, start, start + length) !== length) return undefined
      filled += length
      at = next
    } else {
      if (instruction === 0) return undefined
      if (delta.copy(result, filled, at, at + instruction) !== instruction) return undefined
      filled += instruction
      at += instruction
    }
  }

  return filled === to.size ? result : undefined
}

/** Longer numbers would not be exact. */
const mostSizeBytes = 7

/**
 * Reads a number in groups of seven bits, the lowest first. Returns it with the place of the next
 * byte; Infinity for a number of more than seven bytes.
 */
function readSize(bytes: Buffer, start: number): { size: number; next: number } {
  let size = 0
  let next = start
  for (let unit = 1; ; unit *= 128) {
    const byte = bytes[next++] ?? 0
    size += (byte & 0x7f) * unit
    if (byte < 0x80) return { size, next }
    if (next - start === mostSizeBytes) return { size: Number.POSITIVE_INFINITY, next }
  }
}

/**
 * Reads where a copy starts and how long it is: the bits of the instruction tell which bytes of the
 * numbers follow.
 */
function readCopy(delta: Buffer, from: number, instruction: number) {
  let [start, length, next] = [0, 0, from]
  for (let i = 0; i < 4; i++) if (instruction & (1 << i)) start += delta[next++]! * 256 ** i
  for (let i = 0; i < 3; i++) if (instruction & (1 << (4 + i))) length += delta[next++]! * 256 ** i
  return { start, length: length === 0 ? 0x10000 : length, next }
}
