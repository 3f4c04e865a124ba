/**
 * The one form of an e-mail address under which it is kept and looked for: what is beyond ASCII is composed (NFC) and in
 * lower case, since SQLite tells only the cases of ASCII letters apart as one. Those stay as they were typed.
 */
export const oneAddress = (address: string): string =>
  address.normalize('NFC').replace(/[^\x00-\x7f]+/g, text => text.toLowerCase().normalize('NFC'))
