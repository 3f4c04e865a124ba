import type { ServerResponse } from 'node:http'
import type { Fault } from '../../errors.ts'
import { answerHeaders } from '../answer-headers.ts'
import { failureOf } from '../faults.ts'

const kept = new Set([
  'x-request-id',
  ...Object.keys(answerHeaders).map(name => name.toLowerCase()),
])

/** Sends a refusal in place of an answer that is made but not begun; `end` ends the response. */
export function refuseAnswer(
  res: ServerResponse,
  fault: Fault,
  end: (body: string) => unknown,
): void {
  const { status, headers, body } = failureOf(fault)
  for (const name of res.getHeaderNames())
    if (!kept.has(name) && !name.startsWith('access-control-')) res.removeHeader(name)
  for (const [name, value] of Object.entries({ ...answerHeaders, ...headers }))
    res.setHeader(name, value)
  const text = JSON.stringify(body)

  res.statusCode = status
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', Buffer.byteLength(text))
  end(text)
}
