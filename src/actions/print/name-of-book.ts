import type { PrintSubject } from './print-book.ts'

/** Returns the file name of a book: the title of the part, or of the space. */
export function nameOfBook({ space, part }: PrintSubject): string {
  // Replaces control characters and those that are special in the paths of some system.
  const plain = (part ?? space.title)
    .toWellFormed()
    .replace(/[\p{C}/\\:*?"<>|]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  return `${[...plain].slice(0, 80).join('').trim() || 'Document'}.pdf`
}
