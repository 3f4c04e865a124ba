import type { PrintSubject } from '../../actions/print/print-book.ts'

/** A name for the file of a book: that of the part, or of the space. */
export function nameOfBook({ space, part }: PrintSubject): string {
  // What has a meaning in the paths of some system, or cannot be seen.
  const plain = (part ?? space.title)
    .toWellFormed()
    .replace(/[\p{C}/\\:*?"<>|]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  return `${[...plain].slice(0, 80).join('').trim() || 'Document'}.pdf`
}
