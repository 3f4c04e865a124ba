import { isBlank } from '../text/lines.ts'
import type { Block } from './block-scan.ts'

const hidden = /\s*(?:<!--.*?-->|<(script|style)\b.*?<\/\1\s*>)/gisy

/** Returns whether a block shows nothing: it has comments, scripts and styles only. */
export function showsNothing(text: string, block: Block): boolean {
  if (block.kind !== 'html' || block.item !== -1 || block.quoted) return false
  const source = text.slice(block.text.start, block.end)
  let at = 0
  hidden.lastIndex = 0
  while (hidden.test(source)) at = hidden.lastIndex
  return isBlank(source, at, source.length)
}
