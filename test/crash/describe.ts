import { type Act, ask, type Desk, type Outcome } from './ask.ts'
import { type Description, newDescription } from './ledger.ts'

const collection = '/v1/orgs/default/openapi'

/** A description of an API that a token tells from all others. */
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

/** Gives a description another text; makes it first, when it is not there. */
function put(desk: Desk, description: Description): Promise<Outcome> {
  const { fresh, ledger, random } = desk
  const { id, slug, texts } = description
  const token = fresh('api')
  const source = { text: textWith(token) }
  texts.set(token, 'no')
  // Who makes it with POST may have a key.
  const asked =
    id === undefined && random.chance(0.5)
      ? { method: 'POST', path: collection, body: { slug, source } }
      : { method: 'PUT', path: `${collection}/${slug}`, body: { source } }
  return ask(
    desk,
    undefined,
    { ...asked, kind: 'description' },
    ({ body }) => {
      texts.set(token, 'yes')
      description.id ??= body.id
      if (description.id !== body.id)
        ledger.violations.push(`the description ${slug} was ${description.id}, and is ${body.id}`)
    },
    () => {
      texts.set(token, 'maybe')
    },
  )
}

/** Lets everybody read a description, or members alone. */
function show(desk: Desk, description: Description): Promise<Outcome> {
  const visibility = description.visibility.includes('public') ? 'private' : 'public'
  const path = `${collection}/${description.slug}`
  return ask(
    desk,
    undefined,
    { method: 'PATCH', path, body: { visibility }, kind: 'description visibility' },
    () => {
      description.visibility = [visibility]
    },
    () => {
      description.visibility.push(visibility)
    },
  )
}

function remove(desk: Desk, description: Description): Promise<Outcome> {
  const path = `${collection}/${description.slug}`
  description.deleted = 'maybe'
  return ask(desk, undefined, { method: 'DELETE', path, kind: 'description deletion' }, () => {
    description.deleted = 'yes'
  })
}

/** Each client has a description of its own, which it puts, shows, and deletes; the next one begins anew under its slug. */
export const describe: Act = (desk, client) => {
  const { ledger, random } = desk
  const mine = ledger.descriptions.find(each => each.client === client && each.deleted === 'no')
  if (mine?.id && random.chance(0.12)) return remove(desk, mine)
  if (mine?.id && random.chance(0.12)) return show(desk, mine)
  if (mine) return put(desk, mine)
  const made = newDescription(client)
  ledger.descriptions.push(made)
  return put(desk, made)
}
