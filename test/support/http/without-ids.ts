/** Returns a text without random ids, which may contain any short word by chance. */
export const withoutIds = (text: string): string => text.replace(/\b[A-Za-z0-9]{20}\b/g, '')
