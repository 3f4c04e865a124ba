import type { Seen } from './line.ts'
import { must } from './line.ts'
import type { Stage } from './stage.ts'

export type Imported = Seen & { space: string }

type Options = {
  ref?: string
  url?: string
  space?: string
  force?: boolean
  ms?: number
  direction?: 'import' | 'export'
}

/**
 * Imports a repository of the host into a space (a new one by default), or exports the space to it,
 * and waits for the end.
 */
export async function importOf(
  stage: Stage,
  name: string,
  options: Options = {},
): Promise<Imported> {
  const space = options.space ?? (await stage.space(`Import ${name}`.slice(0, 50)))
  const before = await stage.call('GET', `/v1/spaces/${space}`)
  const { direction = 'import' } = options
  const started = await stage.call('POST', `/v1/spaces/${space}/git/${direction}`, {
    body: {
      url: options.url ?? `${stage.host.origin}/${name}.git`,
      ref: options.ref ?? 'refs/heads/main',
      ...(options.force && { force: true }),
      ...(direction === 'export' && { commitMessage: 'Hostile' }),
    },
  })
  if (started.status !== 204) return { ...started, space }

  const path = new URL(started.headers?.location ?? '').pathname
  const until = performance.now() + (options.ms ?? 60_000)

  for (;;) {
    const { text, status } = await stage.call('GET', path)
    if (status !== 200) return { status, text, space }
    const operation = JSON.parse(text) as { state: string; error?: string }
    if (operation.state === 'success') return { status: 'success', text, space }

    if (operation.state === 'failure') {
      must(!/Internal error/.test(text), 'the run ends with an internal error')
      const after = await stage.call('GET', `/v1/spaces/${space}`)
      const revision = (seen: Seen) => JSON.parse(seen.text).revision
      must(revision(before) === revision(after), 'the space has moved')
      return { status: 'failure', text: operation.error ?? '', space }
    }

    must(performance.now() < until, `not done after ${options.ms ?? 60_000} ms: ${text}`)
    await new Promise(resolve => setTimeout(resolve, 25))
  }
}
