import type { Response } from 'express'
import type { Context } from '../context.ts'
import { GitError } from '../git/values/errors.ts'
import { abortSignalOf } from '../http/abort-signal.ts'
import { countTransfer, setRunningTransfers } from '../metrics.ts'
import { countRunning, takeTurn } from './turns.ts'

/** A transfer under way. Its counts are logged when the response is closed. */
export type Transfer = {
  received: number
  sent: number
  /** The number of objects of the pack, where there is one. */
  objects?: number | undefined
  /** Whether the answer was there before. */
  spool?: 'kept' | 'made'
  /** Why it was refused, where it was. */
  refused?: string
  /** Whether the client only tried its credentials: this is neither counted nor logged. */
  isTrial?: boolean
  /** What became of each ref of a push. */
  verdicts?: readonly string[]
}

/**
 * Waits for a turn of a user, counts a transfer from then until the response is closed, and then
 * logs it in one line: never a header, an option or a message. Throws 'too_many' when too many
 * transfers of the user wait, GitError 'aborted' when the client has gone.
 */
export async function startTransfer(
  ctx: Context,
  res: Response,
  { service, spaceId, userId }: { service: 'fetch' | 'push'; spaceId: string; userId: string },
): Promise<Transfer> {
  const endTurn = await takeTurn(ctx, userId, abortSignalOf(res)).catch((error: unknown) => {
    throw res.closed ? hasGone() : error
  })
  // The event below would not come any more, and the turn would never end.
  if (res.closed) {
    endTurn()
    throw hasGone()
  }

  setRunningTransfers(countRunning(ctx))
  const started = performance.now()
  const transfer: Transfer = { received: 0, sent: 0 }

  res.once('close', () => {
    endTurn()
    setRunningTransfers(countRunning(ctx))
    if (transfer.isTrial) return

    const ms = performance.now() - started
    const { received, sent, objects, spool, refused, verdicts } = transfer
    const outcome = !res.writableFinished ? 'cut' : refused !== undefined ? 'refused' : 'ok'

    countTransfer({ service, outcome, ms, received, sent, spool })
    ctx.log.info(
      {
        id: String(res.locals.requestId ?? ''),
        space: spaceId,
        user: userId,
        service,
        outcome,
        received,
        sent,
        ...(objects !== undefined && { objects }),
        ms: Math.round(ms),
        ...(spool && { spool }),
        ...(refused !== undefined && { refused }),
        ...(verdicts && { verdicts }),
      },
      'git transfer',
    )
  })
  res.locals.transfer = transfer

  return transfer
}

const hasGone = (): GitError => new GitError('aborted', 'The client has gone.')
