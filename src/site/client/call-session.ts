import type { Call } from './call-request.ts'

/** Who is signed in, and the token that their calls send. */
type Session = { name: string; csrf: string }

type Told = { server: string; signIn: string; user: Session | null }

/**
 * Returns a call of the server of the page with the session of its reader as the first way of
 * authorization, and where to sign in if there is none. A page of a site has calls of other servers,
 * which stay as they are.
 */
export async function withSession(
  call: Call,
): Promise<{ call: Call; signIn?: string | undefined }> {
  const address = document.documentElement.dataset.trySession
  if (address === undefined) return { call }

  try {
    const answer = await fetch(address, { cache: 'no-store' })
    if (!answer.ok) return { call }
    const { server, signIn, user } = (await answer.json()) as Told
    // The page may be open under another name of the server than the one that its texts have.
    const own = { ...call, servers: [location.origin + server.replace(/\/$/, '')] }
    const back = new URLSearchParams({ return_to: location.pathname })
    if (!user) return { call: own, signIn: `${signIn}?${back}` }
    return { call: { ...own, auth: [[{ kind: 'session', label: '', ...user }], ...call.auth] } }
  } catch {
    return { call }
  }
}

/** Returns the session that a way of authorization uses. */
export const sessionIn = (call: Call, way: number): Session | undefined =>
  call.auth[way]?.find(credential => credential.kind === 'session')
