import { invalid } from '../../errors.ts'

/** The default and the maximum validity of an invitation, in days. */
const inviteDays = 7
const mostInviteDays = 90

const day = 86_400_000

/** Returns the expiry of a new invite: the requested time, or 7 days from now. Throws 'invalid'. */
export function endOf(asked: string | undefined, now: Date): string {
  if (asked === undefined) return new Date(now.getTime() + inviteDays * day).toISOString()
  const end = new Date(asked)
  if (end <= now) throw invalid('"expiresAt" in the body: takes a time in the future.')
  if (end.getTime() > now.getTime() + mostInviteDays * day)
    throw invalid(`"expiresAt" in the body: takes a time at most ${mostInviteDays} days from now.`)
  return end.toISOString()
}
