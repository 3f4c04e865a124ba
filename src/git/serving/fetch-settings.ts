import type { ConfigPair, EnvironmentOptions } from '../process/environment.ts'

export type ProtocolVersion = 0 | 1 | 2

/** Versions 0 and 1 check commits that clients want against the refs that are not hidden. */
const hidden: readonly ConfigPair[] = [
  ['transfer.hideRefs', 'refs'],
  ['transfer.hideRefs', '!refs/heads'],
  ['uploadpack.allowTipSHA1InWant', 'false'],
  ['uploadpack.allowReachableSHA1InWant', 'false'],
  ['uploadpack.allowAnySHA1InWant', 'false'],
]

/**
 * The filters of `isServedFilter`. Clients of older versions take a filter and then cannot check
 * out.
 */
const filters: readonly ConfigPair[] = [
  ['uploadpack.allowFilter', 'true'],
  ['uploadpackfilter.allow', 'false'],
  ...['blob:none', 'blob:limit', 'object:type', 'tree', 'combine'].map(
    (name): ConfigPair => [`uploadpackfilter.${name}.allow`, 'true'],
  ),
  ['uploadpackfilter.tree.maxDepth', '1'],
]

/**
 * Returns the settings of `upload-pack`. They come from the environment, so that they hold for
 * every repository, and its configuration file stays as it is.
 */
export function fetchSettings(
  version: ProtocolVersion,
  { haves, agent }: { haves: number; agent: string },
): EnvironmentOptions {
  return {
    config: [
      ...hidden,
      ...(version === 2 ? filters : []),
      ['uploadpack.advertiseRefInWant', 'false'],
      ['uploadpack.keepAlive', '5'],
      // A clone reuses deltas. Looking for others in a badly packed repository takes five times as
      // long.
      ...(haves === 0 ? [['pack.window', '0'] satisfies ConfigPair] : []),
    ],
    env: { GIT_PROTOCOL: `version=${version}`, GIT_USER_AGENT: agent },
  }
}
