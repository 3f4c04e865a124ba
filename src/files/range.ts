/** A range of bytes, both ends inclusive. */
export type Part = { start: number; end: number }

/**
 * Returns the range of a file of `size` bytes that a Range header requests. Undefined for the whole
 * file: no header, or not in bytes. 'unsatisfiable' for a range outside the file, or several
 * ranges.
 */
export function parseRange(
  header: string | undefined,
  size: number,
): Part | 'unsatisfiable' | undefined {
  if (header === undefined || !/^bytes=/i.test(header)) return undefined
  const [, first, last] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header) ?? []
  if (first === undefined || last === undefined || (first === '' && last === ''))
    return 'unsatisfiable'

  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }

  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)

  return start >= size || end < start ? 'unsatisfiable' : { start, end }
}
