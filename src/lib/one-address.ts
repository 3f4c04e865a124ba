/**
 * Returns the canonical form under which an e-mail address is stored and looked up: characters beyond ASCII are
 * composed (NFC) and lower-cased, since SQLite ignores case for ASCII only. ASCII characters are kept as typed.
 */
export const oneAddress = (address: string): string =>
  address.normalize('NFC').replace(/[^\x00-\x7f]+/g, text => text.toLowerCase().normalize('NFC'))
