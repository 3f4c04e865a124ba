import { countWrite, type Ledger, type Space } from '../ledger.ts'
import type { Random } from '../random.ts'
import type { Peer } from '../world.ts'
import type { Ask, Call, Reply } from './call.ts'
import type { Forms } from './forms.ts'

/**
 * What a client needs to work: the server, a source of randomness, and the ledger of what was
 * promised.
 */
export type Desk = {
  call: Call
  random: Random
  ledger: Ledger
  round: number
  /** Returns an unused name. */
  fresh: (kind: string) => string
  /** Creates a repository on the Git host. */
  makeRemote: (branch: string) => Promise<Space['remote']>
  /** A second user, other than the owner of the token of `call`. */
  peer: Peer | undefined
  /** A browser that is signed in; undefined if the server ended before that. */
  forms: Forms | undefined
}

/** Refusals that are expected under concurrency. */
const honest = [409, 412, 429]

export type Outcome = 'gone' | 'done'
/** One action of a client; `gone` when the server no longer answers. */
export type Act = (desk: Desk, client: number, space: Space) => Promise<Outcome>

/**
 * Sends a request and records what was promised. A request with a key that gets no response is kept
 * open.
 */
export async function ask(
  { call, ledger, random, fresh }: Desk,
  space: Space | undefined,
  asked: Ask,
  settle: (reply: Reply) => void,
  doubt: () => void = () => {},
): Promise<Outcome> {
  const key =
    asked.method === 'POST' && !asked.keyless && random.chance(0.5) ? fresh('key') : undefined
  const keyed: Ask = { ...asked, key }
  const reply = await call(keyed)

  if (!reply) {
    doubt()
    if (key) ledger.open.push({ ask: keyed, settle, space: space?.id })
    return 'gone'
  }

  settleReply(ledger, keyed, reply, settle, space?.id)

  return 'done'
}

/** What a request writes, in a word or two. */
function kindOf({ method, path, kind }: Ask): string {
  if (kind) return kind
  const ofRequest = path.includes('/change-requests/') ? 'request ' : ''
  const last = new URL(path, 'http://server').pathname.split('/').at(-1)!
  return method === 'DELETE' ? 'deletion' : ofRequest + last
}

/** Records a response as a promise, if it is one. */
export function settleReply(
  ledger: Ledger,
  asked: Ask,
  reply: Reply,
  settle: (reply: Reply) => void,
  space: string | undefined,
): void {
  if (reply.status >= 200 && reply.status < 300) {
    countWrite(ledger, kindOf(asked))
    if (asked.key) ledger.kept.push({ ask: asked, status: reply.status, text: reply.text, space })
    settle(reply)
  } else if (!honest.includes(reply.status)) {
    ledger.violations.push(
      `${asked.method} ${asked.path} was answered ${reply.status} ${reply.text}`,
    )
  }
}
