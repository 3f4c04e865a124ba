import { setTimeout } from 'node:timers/promises'

/**
 * Calls `read` until it returns a value, and returns the value. The pauses are a quarter of the
 * time waited: a request every few milliseconds would use most of a processor that the awaited work
 * needs. Throws after about two minutes; `what` says what did not happen.
 */
export async function until<Value>(
  what: string,
  read: () => Value | undefined | Promise<Value | undefined>,
): Promise<Value> {
  const longest = 120_000
  for (let waited = 0; waited < longest; ) {
    const value = await read()
    if (value !== undefined) return value
    const pause = Math.max(10, waited / 4)
    await setTimeout(pause)
    waited += pause
  }

  throw new Error(`It did not happen in two minutes: ${what}`)
}
