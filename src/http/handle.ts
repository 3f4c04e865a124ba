import type { Actor, RequestFacts } from '../access/asker.ts'
import type { Endpoint } from './endpoint.ts'
import { type Admission, applicantOf } from './limits/admission.ts'

/** Calls the handler of an endpoint, once there is a slot for it if it computes its answer. */
export async function handle(
  admission: Admission,
  endpoint: Endpoint,
  input: { actor: Actor; request: RequestFacts },
): Promise<unknown> {
  const work = async () => (endpoint.handle as (input: unknown) => unknown)(input)
  if (!endpoint.computes) return work()
  const { origin, signal } = input.request
  return admission.run(applicantOf(input.actor, origin.address), signal, work)
}
