/** The flags of a command, by the body fields that they set. */
export type FlagNames = Readonly<Record<string, string>>

/**
 * Returns an API message with the names of body fields, and their items, replaced by flags, and of
 * fields that it names with their flag by the flag.
 */
export const inFlags = (sentence: string, flags: FlagNames): string =>
  sentence
    .replace(/"\w+" \((--[a-z-]+)\)/g, '$1')
    .replace(/"(\w+)(?:\.\d+)?"(?: in the body:)?/g, (whole, name: string) =>
      Object.hasOwn(flags, name) ? (flags[name] ?? whole) : whole,
    )
