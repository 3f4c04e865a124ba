import type { Call } from './call-request.ts'
import { askSession, type Session, signInHere } from './session.ts'

/**
 * Returns a call of the server of the page with the session of its reader as the first way of
 * authorization, and where to sign in if there is none. A page of a site has calls of other servers,
 * which stay as they are.
 */
export async function withSession(
  call: Call,
): Promise<{ call: Call; signIn?: string | undefined }> {
  const told = await askSession()
  if (!told) return { call }
  const { server, user } = told
  // The page may be open under another name of the server than the one that its texts have.
  const own = { ...call, servers: [location.origin + server.replace(/\/$/, '')] }
  if (!user) return { call: own, signIn: signInHere(told) }
  return { call: { ...own, auth: [[{ kind: 'session', label: '', ...user }], ...call.auth] } }
}

/** Returns the session that a way of authorization uses. */
export const sessionIn = (call: Call, way: number): Session | undefined =>
  call.auth[way]?.find(credential => credential.kind === 'session')
