import type { Request, Response } from 'express'
import { readOptions } from '../actions/push/options.ts'
import type { PushScope } from '../actions/push/push.ts'
import { receivePush } from '../actions/push/receive-push.ts'
import { ProtocolError } from '../git/protocol/protocol-error.ts'
import { type PushRequest, PushRequestReader } from '../git/protocol/push-request.ts'
import { encodeReport } from '../git/protocol/report.ts'
import { abortSignalOf } from '../http/abort-signal.ts'
import { clientAddress } from '../http/limits/client-address.ts'
import { askForBody } from '../http/receiving/read-body.ts'
import type { Admitted } from './admit.ts'
import { sendAnswer } from './answer.ts'
import { PushBody } from './push-body.ts'
import { startTransfer, type Transfer } from './record.ts'

const type = 'receive-pack-result'

/**
 * Answers a POST to `git-receive-pack`. Git shows no text of another status, so whatever is to be
 * told to a person is in the report. The body is read to its end first: Git sends the rest of one
 * that was answered early as another request. It never sends gzip that unpacks to much more than
 * its size, which is refused unread.
 */
export async function answerPush(
  req: Request,
  res: Response,
  { ctx, space, user, tokenId }: Admitted,
  checkToken: (needed: PushScope) => void,
): Promise<void> {
  // Before the commands are read: they are held in memory.
  const transfer = await startTransfer(ctx, res, {
    service: 'push',
    spaceId: space.id,
    userId: user.id,
  })
  const body = new PushBody(req)
  askForBody(req, res)
  const { request, rest } = await readRequest(body)

  if (request.commands.length === 0) {
    transfer.isTrial = true
    return sendAnswer(res, type, Buffer.alloc(0))
  }

  const { commands, options, capabilities } = request
  const requestId = String(res.locals.requestId ?? '')
  const sent = {
    spaceId: space.id,
    by: user,
    origin: { requestId, address: clientAddress(req, ctx.config.trustProxy), tokenId },
    commands,
    options: readOptions(options),
    atomic: capabilities.has('atomic'),
    checkToken,
    signal: abortSignalOf(res),
  }
  const report = await receivePush(ctx, sent, body.after(rest))
  const whole = await body.drain(ctx.config.maxImportPackBytes)

  note(transfer, body, report)

  if (!whole) {
    req.destroy()
    return
  }

  // Git is quiet without a terminal, and its log is where people read what a push did.
  const bytes = encodeReport(report, capabilities)

  transfer.sent = bytes.length
  sendAnswer(res, type, bytes)
}

/** Reads the commands and options. Throws ProtocolError when they are malformed or incomplete. */
async function readRequest(body: PushBody): Promise<{ request: PushRequest; rest: Buffer }> {
  const reader = new PushRequestReader()
  for (let chunk = await body.next(); chunk; chunk = await body.next()) {
    const found = reader.read(chunk)
    if (found) return found
  }
  throw new ProtocolError('The push ends before its commands are complete.')
}

function note(
  transfer: Transfer,
  { received }: PushBody,
  {
    unpack,
    verdicts,
    objects,
  }: { unpack: string; verdicts: readonly { ref: string; ok: boolean }[]; objects: number },
): void {
  transfer.received = received
  transfer.objects = objects
  transfer.verdicts = verdicts.slice(0, 20).map(({ ref, ok }) => `${ok ? 'ok' : 'ng'} ${ref}`)
  if (unpack !== 'ok') transfer.refused = unpack
  else if (verdicts.every(({ ok }) => !ok)) transfer.refused = 'every command was refused'
}
