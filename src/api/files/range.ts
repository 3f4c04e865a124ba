/** A part of a file: both ends belong to it. */
export type Part = { start: number; end: number }

/**
 * The part that a Range header asks for of `size` bytes. Undefined: all of it, for there is no header, or one that is
 * not about bytes. 'unsatisfiable': there is no such part, or several are asked for.
 */
export function parseRange(header: string | undefined, size: number): Part | 'unsatisfiable' | undefined {
  if (header === undefined || !/^bytes=/i.test(header)) return undefined
  const [, first, last] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header) ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'unsatisfiable'
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  return start >= size || end < start ? 'unsatisfiable' : { start, end }
}
