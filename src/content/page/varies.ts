/**
 * Returns whether a text may have conditions, expressions or comments: without them, readers get it
 * as it is.
 */
export const mayVary = (text: string): boolean => /\{%-?\s*if|<code\s|<!--/.test(text)
