import { Fault } from '../../errors.ts'
import { type BrowserUser, checkWrite, sessionOf } from '../../http/browser-session.ts'
import { checkWritable } from '../../http/limits/check-writable.ts'
import { readForm } from '../../http/receiving/form.ts'
import {
  isMultipart,
  readMultipart,
  type SentFile,
  type Taken,
} from '../../http/receiving/multipart.ts'
import { askedBy } from './answer-page.ts'
import type { FileField, Write } from './page.ts'
import type { FoundRoute } from './routes.ts'
import type { Exchange, Workbench } from './workbench.ts'

type Values = ReadonlyMap<string, string>

/** Reads a form, and takes its file if it has one: see `FileField`. */
export async function readSent(
  workbench: Workbench,
  exchange: Exchange,
  found: FoundRoute,
): Promise<{ values: Values; taken: Taken<unknown> }> {
  const { ctx, budget } = workbench
  const { req, res } = exchange
  const { file, bodyLimit: limit } = found.route
  if (!file || !isMultipart(req))
    return { values: await readForm(ctx, req, res, { limit, budget }), taken: undefined }

  return readMultipart(ctx, req, res, {
    ...{ limit, budget },
    field: file.name,
    mostBytes: file.mostBytes(ctx),
    take: (sent, before) => takeFile(workbench, exchange, found, { file, sent, before }),
    drop: kept => file.drop(ctx, kept),
  })
}

type Arriving = { file: FileField<never, unknown>; sent: SentFile; before: Values }

/** Takes the file of a form: nothing of it is written before session, token and guard are checked. */
async function takeFile(
  workbench: Workbench,
  exchange: Exchange,
  found: FoundRoute,
  { file, sent, before }: Arriving,
): Promise<unknown> {
  const { ctx } = workbench
  const user = sessionOf(ctx, exchange.req)
  if (!user || !isOfSession(workbench, exchange, user, before))
    throw new Fault('form_refused', 'The form must have its field "csrf" before the file.')
  checkWritable(ctx.config)
  const asked = askedBy(workbench, exchange, { user, ...found })
  return file.take(asked as never, sent, writing(workbench, exchange, user, found))
}

/** Returns whether a form has the token of the session that sends it. */
export function isOfSession(
  { ctx }: Workbench,
  { req }: Exchange,
  user: BrowserUser,
  values: Values,
): boolean {
  try {
    checkWrite(ctx, req, user, values.get('csrf'))
    return true
  } catch {
    return false
  }
}

/**
 * Returns what does work in a transaction. Since the guard ran, the session may have ended or the
 * role may have been taken away.
 */
export const writing =
  (workbench: Workbench, exchange: Exchange, user: BrowserUser, found: FoundRoute): Write =>
  ({ work }) =>
    workbench.write(() => {
      const now = sessionOf(workbench.ctx, exchange.req)
      if (now?.session.id !== user.session.id)
        throw new Fault('session_ended', 'Your session has ended.')
      const asked: object = askedBy(workbench, exchange, { ...found, user: now })
      return work(asked as never) as never
    })
