import { atOnce } from '../../lib/slices.ts'
import { checkPage } from '../markdown/blocks.ts'

/** The most characters of a page, as in an edit. */
const mostCharacters = 10_000_000

/** Returns why a text in Markdown cannot be a page, as a sentence; undefined if it can. */
export function whyNoPage(text: string): string | undefined {
  if (text.length > mostCharacters) return 'The page is too large.'
  try {
    atOnce(checkPage(text))
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
