/**
 * A pack that a push must not bring in. The message says why, as a clause without a full stop that
 * is safe to show.
 */
export class PackRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PackRefused'
  }
}

/**
 * Returns the refusal for an object that is missing or not visible: the sender is not told which of
 * the two.
 */
export const lacksObjects = (): PackRefused =>
  new PackRefused('the pack lacks objects that it refers to')

/**
 * Returns the refusal for a pack with more than its commits: the sender is not told what the
 * repository holds.
 */
export const hasMore = (): PackRefused =>
  new PackRefused(
    'the pack has objects that no pushed branch leads to: leave them out, as "git push" does',
  )

/** Returns the refusal for a pack whose format is wrong. */
export const isBroken = (): PackRefused => new PackRefused('the pack is broken')
