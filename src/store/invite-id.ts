import { digestId } from '../lib/digest.ts'

/**
 * Returns the id of the invite link with this secret: a digest, under which the link is stored,
 * listed and named in events. The id does not let anyone join.
 */
export const inviteIdOf = (secret: string): string => digestId('invite', secret)
