/**
 * The id of a Git object: 40 lower-case hex digits. Only `parseOid` makes one from foreign text.
 */
export type Oid = string & { readonly __brand: 'Oid' }

/** The id that means "no object" in a ref transaction. */
export const zeroOid = '0'.repeat(40) as Oid

/**
 * The tree without entries. Git has it built in: `cat-file` finds it even where no file stores it.
 */
export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904' as Oid

/** Returns the text as an Oid, or undefined unless it is 40 lower-case hex digits. */
export const parseOid = (text: string): Oid | undefined =>
  /^[0-9a-f]{40}$/.test(text) ? (text as Oid) : undefined

/** Returns the text as an Oid. Throws unless it is one: only for text that Git wrote. */
export function asOid(text: string): Oid {
  const oid = parseOid(text)
  if (!oid) throw new Error(`Not an object id: ${JSON.stringify(text.slice(0, 60))}`)
  return oid
}
