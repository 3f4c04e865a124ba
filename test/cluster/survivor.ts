import { setTimeout } from 'node:timers/promises'
import { until } from '../support/until.ts'
import type { World } from './world.ts'
import { insertPage } from './writers.ts'
import { fresh, pauseMs, record } from './writing.ts'

/**
 * Writes to each space at the node that is left when the one of this turn is lost. Returns the
 * milliseconds until each write was acknowledged.
 */
export const writeAtOnce = (
  { nodes, written }: World,
  turn: number,
  spaces: readonly string[],
): Promise<number[]> => {
  const begun = performance.now()
  const node = nodes[(turn + 1) % nodes.length]!
  return Promise.all(
    spaces.map(async space => {
      const note = { space, token: fresh('page'), kind: 'page', begun: performance.now() } as const
      const path = `/v1/spaces/${space}/content`
      await until('the node that is left acknowledges a write', async () => {
        const body = insertPage(note.token)
        const reply = await node.call?.({ method: 'POST', path, body, key: note.token })
        if (reply && reply.status < 300) {
          record({ written, refused: [] }, note, { reply, node: node.name })
          return true
        }
        await setTimeout(pauseMs)
        return undefined
      })
      return performance.now() - begun
    }),
  )
}
