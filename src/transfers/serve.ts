import type { Express, Request, Response } from 'express'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import type { Service } from '../git/protocol/advertise.ts'
import { BodyBudget } from '../http/limits/body-budget.ts'
import type { Throttles } from '../http/limits/throttles.ts'
import { type TransferAddress, transferAddress } from './address.ts'
import { admit, checkToken } from './admit.ts'
import { sendSentence } from './answer.ts'
import { answerFetch } from './fetch.ts'
import { sendInfoRefs, serviceAsked } from './info-refs.ts'
import { answerPush } from './push.ts'
import { refuse } from './refuse.ts'

type Served = {
  throttles: Throttles
  noteAuthFailure: (req: Request, requestId: string, reason: string | undefined) => void
}

/**
 * Returns whether a URL is an address of a repository. Transfers may take minutes: they are not
 * counted as requests.
 */
export const isTransfer = (url: string): boolean => transferAddress(url) !== undefined

/** Serves the addresses of the repositories of spaces to Git clients. Redirects are never sent. */
export function serveTransfers(
  app: Express,
  ctx: Context,
  { throttles, noteAuthFailure }: Served,
): void {
  const server = { ctx, throttles, budget: new BodyBudget() }
  app.use((req, res, next) => {
    const address = transferAddress(req.originalUrl)
    if (!address) return next()

    return answer(server, address, req, res).catch(error =>
      refuse(ctx, res, error, {
        spaceId: address.spaceId,
        noteAuthFailure: (id, reason) => noteAuthFailure(req, id, reason),
      }),
    )
  })
}

/** Milliseconds that an admission holds while no row changes: tokens expire. */
const admittedMs = 1_000

type Server = { ctx: Context; throttles: Throttles; budget: BodyBudget }

async function answer(
  { ctx, throttles, budget }: Server,
  { spaceId, resource, query }: TransferAddress,
  req: Request,
  res: Response,
): Promise<void> {
  if (resource === 'other')
    throw new Fault('not_found', 'The repository has nothing at this address.')
  if (resource === 'lfs') return refuseLfs(res)
  const isList = resource === 'info/refs'
  const method = isList ? 'GET' : 'POST'
  if (req.method !== method)
    return sendSentence(res.set('Allow', method), 405, `This address takes ${method}.`)

  const service: Service = isList ? serviceAsked(query) : resource
  if (!isList) checkType(req, service)

  const asked = { req, res, spaceId, service }
  const version = ctx.store.version()
  const expiresAt = performance.now() + admittedMs
  const admitted = await admit(ctx, throttles, asked)
  const isCurrent = () => ctx.store.version() === version && performance.now() < expiresAt
  const admitAgain = async () => {
    await ctx.store.gate?.pass()
    return isCurrent() ? admitted : admit(ctx, undefined, asked)
  }
  if (isList) return sendInfoRefs(req, res, admitted, service)
  if (service === 'git-upload-pack') return answerFetch(req, res, admitted, { budget, admitAgain })

  return answerPush(req, res, admitted, scope => checkToken(ctx, req, spaceId, scope))
}

function checkType(req: Request, service: Service): void {
  const type = `application/x-${service}-request`
  if (req.headers['content-type'] !== type)
    throw new Fault(
      'unsupported_media_type',
      `Send the request with the header "Content-Type: ${type}".`,
    )
}

/** Git LFS reads the message of an answer in its own format. */
function refuseLfs(res: Response): void {
  const message =
    'Git LFS is not offered here: take the files out of it (git lfs migrate export) and push them as they are.'
  res.status(501).set('Content-Type', 'application/vnd.git-lfs+json')
  res.end(JSON.stringify({ message }))
}
