import type { Locks } from '../../src/lib/locks.ts'

/**
 * Sends a request, then waits until it queues for this lock, which must be held, or is answered.
 * Returns the promise of the response. Send one request at a time: two cannot be told apart here.
 */
export async function sendInLine<Reply>(
  locks: Locks,
  name: string,
  send: () => Promise<Reply>,
): Promise<{ reply: Promise<Reply> }> {
  const run = locks.run.bind(locks)
  const inLine = new Promise<void>(resolve => {
    Object.assign(locks, {
      run: (asked: string, work: () => Promise<unknown>) => {
        const made = run(asked, work)
        if (asked === name) resolve()
        return made
      },
    })
  })
  const reply = send()
  const answered = reply.then(
    () => undefined,
    () => undefined,
  )

  await Promise.race([inLine, answered])
  Object.assign(locks, { run })

  // The waiter may be a job instead. Without other load, a request takes less than this.
  await Promise.race([answered, new Promise(resolve => setTimeout(resolve, 100))])

  return { reply }
}
