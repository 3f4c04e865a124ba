import type { Request, Response } from 'express'
import { checkSpaceWritable } from '../actions/push/check-space-writable.ts'
import { Fault } from '../errors.ts'
import {
  advertiseFetch,
  advertisePush,
  advertiseVersion2,
  type Service,
} from '../git/protocol/advertise.ts'
import { fetchCapabilities } from '../git/serving/capabilities.ts'
import { checkWritable } from '../http/limits/check-writable.ts'
import { isUntouched } from '../store/spaces/spaces.ts'
import type { Admitted } from './admit.ts'
import { agent } from './agent.ts'
import { askedVersion, sendAnswer } from './answer.ts'
import { fetchSpools, spoolFolder } from './spools.ts'
import { type VisibleRefs, visibleRefs } from './visible-refs.ts'

/** Returns the service of a request for `info/refs`. Throws 'forbidden' without a known one. */
export function serviceAsked(query: URLSearchParams): Service {
  const service = query.get('service')
  if (service === 'git-upload-pack' || service === 'git-receive-pack') return service
  throw new Fault('smart_protocol_needed', 'The server supports only the smart protocol of Git.')
}

/**
 * Answers the first request of every transfer: what is offered, and in versions 0 and 1 the list of
 * branches.
 */
export async function sendInfoRefs(
  req: Request,
  res: Response,
  { ctx, space }: Admitted,
  service: Service,
): Promise<void> {
  // Checked here, because Git does not show the message if the next request is refused.
  if (service === 'git-upload-pack') fetchSpools(ctx).checkRoom(spoolFolder(ctx))
  const version = askedVersion(req)
  const type =
    service === 'git-upload-pack' ? 'upload-pack-advertisement' : 'receive-pack-advertisement'

  if (service === 'git-upload-pack' && version === 2) {
    sendAnswer(res, type, advertiseVersion2(fetchCapabilities, agent))
    return
  }

  if (service === 'git-receive-pack') {
    checkWritable(ctx.config)
    await checkSpaceWritable(ctx, space.id)
  }

  const listed = await visibleRefs(ctx, space.id)
  const spoken = version === 1 ? 1 : 0
  const bytes =
    service === 'git-upload-pack'
      ? advertiseFetch(listed, spoken, fetchCapabilities, agent)
      : advertisePush(isUntouched(space) ? withoutHead(listed) : listed, spoken, agent)

  sendAnswer(res, type, bytes)
}

/**
 * Leaves out the branch that the space was made with, so that the first push to it needs no force.
 */
const withoutHead = ({ head, refs }: VisibleRefs): Pick<VisibleRefs, 'refs'> => ({
  refs: refs.filter(({ name }) => name !== head),
})
