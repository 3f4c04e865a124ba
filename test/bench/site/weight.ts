import type { Figure } from '../figure.ts'
import { residentOf } from '../resident.ts'
import type { Space } from '../space.ts'
import type { Stemma } from '../stemma.ts'

/**
 * The memory of a server that has served all pages of a site, above one that served them over the
 * API alone.
 */
export async function weight(
  stemma: Stemma,
  { space, paths }: { space: Space; paths: readonly string[] },
): Promise<Figure[]> {
  await stemma.restart()
  for (const { id } of space.pages)
    await stemma.caller.call('GET', `${space.path}/content/page/${id}`)
  const alone = residentOf(stemma).own
  await stemma.restart()
  for (const { id } of space.pages)
    await stemma.caller.call('GET', `${space.path}/content/page/${id}`)
  for (const path of paths)
    await stemma.caller.call('GET', path, { headers: { 'accept-encoding': 'br' } })
  const { own } = residentOf(stemma)

  return [
    {
      work: `memory after all ${paths.length} pages of a site, above the API alone`,
      value: own - alone,
      unit: 'MB',
      target: { of: 'figure', is: 'at most', value: 60 },
      note: `${own.toFixed(0)} MB and ${alone.toFixed(0)} MB`,
    },
  ]
}
