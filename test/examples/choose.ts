import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readExamples } from '../../src/api/examples/read-examples.ts'
import type { Examples } from '../../src/http/document/examples.ts'
import { type Exchange, routeOf } from '../support/conformance.ts'
import { answerOf, endpoints, faultOf, operations, requestOf } from './fits.ts'
import { shorten } from './shorten.ts'

/**
 * Chooses the examples of the API document from the exchanges that tests have recorded in a folder:
 *
 *     RECORD_EXAMPLES=/tmp/examples npm test -- test/api test/conformance
 *     node --import tsx test/examples/choose.ts /tmp/examples
 *
 * An operation whose example still fits keeps it.
 */
type Recorded = Exchange & { sent: unknown }
type Example = Examples[string]

const [, , folder = ''] = process.argv
const target = 'src/api/examples'

/** Returns an exchange as the example of its operation, or undefined if it does not serve as one. */
function exampleFrom({ method, path, status, type, body, sent }: Recorded) {
  const endpoint = endpoints.get(routeOf(method, path) ?? '')
  if (!endpoint || status !== endpoint.status) return undefined
  const { operationId } = endpoint
  const operation = operations.get(operationId)
  const example: Example = {
    ...(requestOf(operation) && sent !== undefined && { request: shorten(sent) }),
    ...(answerOf(operation) && type === 'application/json' && { answer: shorten(body) }),
  }
  return fits(operationId, example) ? { operationId, example } : undefined
}

/** Returns whether an example has what its operation takes and answers, in their schemas. */
function fits(operationId: string, { request, answer }: Example): boolean {
  const operation = operations.get(operationId)
  if (!operation) return false
  const [asks, answers] = [requestOf(operation), answerOf(operation)]
  const isAsked =
    !asks || (request === undefined ? !operation.requestBody.required : !faultOf(asks, request))
  return isAsked && (!answers || (answer !== undefined && !faultOf(answers, answer)))
}

/** Returns how well an example tells about its operation: many properties, in few characters. */
function worth({ request, answer }: Example): number {
  const text = JSON.stringify([request, answer])
  const names = new Set([...text.matchAll(/"(\w+)":/g)].map(([, name]) => name)).size
  const isOdd =
    /SECRET|<script|javascript:|\\u[0-9a-f]{4}/.test(text) ||
    /"items":\[\]|"(?:changes|pages|results)":\[\]|"result":"conflicts"/.test(text)
  return names * 60 - text.length - (isOdd ? 2_000 : 0)
}

const best = new Map<string, Example>(
  Object.entries(readExamples()).filter(([operationId, example]) => fits(operationId, example)),
)
const kept = new Set(best.keys())
for (const file of readdirSync(folder))
  for (const line of readFileSync(join(folder, file), 'utf8').trim().split('\n')) {
    const found = exampleFrom(JSON.parse(line) as Recorded)
    if (!found || kept.has(found.operationId)) continue
    const before = best.get(found.operationId)
    if (!before || worth(found.example) > worth(before)) best.set(found.operationId, found.example)
  }

/** Returns whether an operation has a request or an answer to show. */
const isTold = (example: Example | undefined): boolean =>
  example !== undefined && Object.keys(example).length > 0

const tags = new Set([...operations.values()].map(operation => operation.tags[0] as string))
for (const tag of tags) {
  const ofTag = [...operations.keys()].filter(
    id => operations.get(id).tags[0] === tag && isTold(best.get(id)),
  )
  const text = JSON.stringify(Object.fromEntries(ofTag.map(id => [id, best.get(id)])), null, 2)
  writeFileSync(join(target, `${tag}.json`), `${text}\n`)
}
console.log([...operations.keys()].filter(id => !best.has(id)).join('\n'))
