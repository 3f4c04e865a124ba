import { newSpec, type PromisedSpec } from '../ledger.ts'
import { type Act, ask, type Desk, type Outcome } from './ask.ts'

const collection = '/v1/orgs/default/openapi'

/** Returns a spec that a token identifies. */
export const textWith = (token: string): string => `openapi: 3.1.0
info:
  title: ${token}
  version: 1.0.0
paths:
  /${token}:
    get:
      operationId: get-${token}
      responses:
        '200':
          description: One of ${token}
`

/** Puts another text of a spec, and creates the spec if it does not exist. */
function put(desk: Desk, spec: PromisedSpec): Promise<Outcome> {
  const { fresh, ledger, random } = desk
  const { id, slug, texts } = spec
  const token = fresh('api')
  const source = { text: textWith(token) }

  texts.set(token, 'no')

  // A POST may have an idempotency key.
  const asked =
    id === undefined && random.chance(0.5)
      ? { method: 'POST', path: collection, body: { slug, source } }
      : { method: 'PUT', path: `${collection}/${slug}`, body: { source } }

  return ask(
    desk,
    undefined,
    { ...asked, kind: 'spec' },
    ({ body }) => {
      texts.set(token, 'yes')
      spec.id ??= body.id
      if (spec.id !== body.id)
        ledger.violations.push(`the spec ${slug} was ${spec.id}, and is ${body.id}`)
    },
    () => {
      texts.set(token, 'maybe')
    },
  )
}

/** Makes a private spec public, or the reverse. */
function show(desk: Desk, spec: PromisedSpec): Promise<Outcome> {
  const visibility = spec.visibility.includes('public') ? 'private' : 'public'
  const path = `${collection}/${spec.slug}`
  return ask(
    desk,
    undefined,
    { method: 'PATCH', path, body: { visibility }, kind: 'spec visibility' },
    () => {
      spec.visibility = [visibility]
    },
    () => {
      spec.visibility.push(visibility)
    },
  )
}

function remove(desk: Desk, spec: PromisedSpec): Promise<Outcome> {
  const path = `${collection}/${spec.slug}`
  spec.deleted = 'maybe'
  return ask(desk, undefined, { method: 'DELETE', path, kind: 'spec deletion' }, () => {
    spec.deleted = 'yes'
  })
}

/** Each client puts, shows and deletes its own spec; the next one uses the same slug. */
export const describe: Act = (desk, client) => {
  const { ledger, random } = desk
  const mine = ledger.specs.find(each => each.client === client && each.deleted === 'no')
  if (mine?.id && random.chance(0.12)) return remove(desk, mine)
  if (mine?.id && random.chance(0.12)) return show(desk, mine)
  if (mine) return put(desk, mine)
  const made = newSpec(client)
  ledger.specs.push(made)
  return put(desk, made)
}
