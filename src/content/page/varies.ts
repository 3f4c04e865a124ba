/**
 * Returns whether a text may have conditions, expressions or comments: without them, readers get it
 * as it is.
 */
export const mayVary = (text: string): boolean => /\{%-?\s*if|<code\s|<!--/.test(text)

/**
 * Returns whether a text may have conditions or expressions: without them, all readers get the same
 * text, which is that of Git without its comments.
 */
export const mayDiffer = (text: string): boolean =>
  /\{%-?\s*if|<code\s+class\s*=\s*["']?expression/.test(text)
