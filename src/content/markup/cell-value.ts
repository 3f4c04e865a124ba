import { type MarkupElement, wordsIn } from './tree.ts'

/** The value of a cell in a column of a type that is not shown as text. */
type CellValue =
  | { kind: 'checkbox'; checked: boolean }
  | { kind: 'rating'; stars: number; most: number }

/** Number of stars of a rating without a valid `data-max`. */
const fewStars = 5

/**
 * Returns the value of a cell according to the header of its column. Returns undefined if the cell
 * is shown as text.
 */
export function cellValue(
  title: MarkupElement | undefined,
  cell: MarkupElement,
): CellValue | undefined {
  const type = title?.attributes['data-type']
  if (type !== 'checkbox' && type !== 'rating') return undefined
  const written = wordsIn(cell).trim()

  if (type === 'checkbox')
    return /^(?:true|false)$/i.test(written)
      ? { kind: 'checkbox', checked: written.toLowerCase() === 'true' }
      : undefined

  const most = Number(/^(?:[1-9]|10)$/.exec(title?.attributes['data-max'] ?? '')?.[0] ?? fewStars)
  if (!/^\d{1,2}(?:\.\d+)?$/.test(written)) return undefined

  return { kind: 'rating', stars: Math.min(most, Math.round(Number(written))), most }
}

/** Returns a rating as a row of stars. */
export const starsOf = (stars: number, most: number): string =>
  '★'.repeat(stars) + '☆'.repeat(most - stars)
