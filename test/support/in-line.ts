import type { Locks } from '../../src/lib/locks.ts'

/**
 * Sends a request and waits until it asks for this lock, which somebody holds, or has its answer. Gives the request. One at
 * a time: who looks for two at once may see the other's.
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
  // A job may have asked in its place: so long it takes where nobody else uses the machine.
  await Promise.race([answered, new Promise(resolve => setTimeout(resolve, 100))])
  return { reply }
}
