import { emptyTree } from '../../lib/oid.ts'

/**
 * One `key = value` of Git's configuration at command scope, which overrides the repository's file.
 */
export type ConfigPair = readonly [key: string, value: string]

export type EnvironmentOptions = {
  config?: readonly ConfigPair[]
  /** Additional variables, e.g. a temporary object directory. */
  env?: Readonly<Record<string, string>>
  /** The value of `GIT_ALLOW_PROTOCOL`, e.g. 'https'. Without it no protocol is allowed. */
  protocols?: string
}

/**
 * Returns the whole environment of a git child, built from nothing: the operator's shell, /etc and
 * home directory must not change what a space contains. /dev/null as home also hides ~/.netrc and
 * ~/.curlrc.
 */
export function gitEnvironment({ config = [], env = {}, protocols = '' }: EnvironmentOptions = {}) {
  const all: Record<string, string> = { ...base, GIT_ALLOW_PROTOCOL: protocols, ...env }
  let count = baseConfig.length
  for (const [key, value] of config) {
    all[`GIT_CONFIG_KEY_${count}`] = key
    all[`GIT_CONFIG_VALUE_${count}`] = value
    count++
  }

  all.GIT_CONFIG_COUNT = String(count)

  return all
}

const fsckIgnored = ['badTimezone', 'missingSpaceBeforeDate', 'zeroPaddedFilemode']

const baseConfig: readonly ConfigPair[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsync', 'objects,derived-metadata,reference'],
  ['core.fsyncMethod', 'fsync'],
  ['core.useReplaceRefs', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  ['core.protectNTFS', 'true'],
  ['core.protectHFS', 'true'],
  ['core.logAllRefUpdates', 'false'],
  ['core.filesRefLockTimeout', '1000'],
  ['core.packedRefsTimeout', '10000'],
  ['core.bigFileThreshold', '20m'],
  ['core.packedGitWindowSize', '32m'],
  ['core.packedGitLimit', '256m'],
  ['core.deltaBaseCacheLimit', '32m'],
  ['core.quotePath', 'false'],
  // A graft file is named below only so that none is used.
  ['advice.graftFileDeprecated', 'false'],
  ['core.sshCommand', '/bin/false'],
  ['core.fsmonitor', 'false'],
  ['core.alternateRefsCommand', 'exit 0 #'],
  ['pack.threads', '1'],
  ['pack.windowMemory', '100m'],
  ['gc.auto', '0'],
  ['gc.autoDetach', 'false'],
  ['maintenance.auto', 'false'],
  ['receive.autogc', 'false'],
  ['fetch.writeCommitGraph', 'false'],
  ['transfer.fsckObjects', 'true'],
  ['fetch.fsckObjects', 'true'],
  ['receive.fsckObjects', 'true'],
  ...['fsck', 'fetch.fsck', 'receive.fsck'].flatMap(section =>
    fsckIgnored.map((id): ConfigPair => [`${section}.${id}`, 'ignore']),
  ),
  ['transfer.unpackLimit', '1'],
  ['transfer.credentialsInUrl', 'die'],
  ['transfer.bundleURI', 'false'],
  ['fetch.uriProtocols', ''],
  ['promisor.acceptFromServer', 'none'],
  ['http.followRedirects', 'false'],
  ['http.proxy', ''],
  ['http.sslVerify', 'true'],
  ['http.lowSpeedLimit', '1000'],
  ['http.lowSpeedTime', '30'],
  ['credential.helper', ''],
  ['fetch.recurseSubmodules', 'no'],
  ['submodule.recurse', 'false'],
  ['fetch.prune', 'false'],
  ['fetch.pruneTags', 'false'],
  ['push.recurseSubmodules', 'no'],
  ['safe.bareRepository', 'explicit'],
  ['protocol.version', '2'],
  ['protocol.allow', 'never'],
  ['merge.renameLimit', '1000'],
  ['diff.renameLimit', '1000'],
  ['merge.conflictStyle', 'merge'],
  ['merge.renames', 'true'],
  ['log.showRoot', 'true'],
  // Some versions of Git read .gitattributes from HEAD in bare repositories, some do not: merges
  // must not depend on it.
  ['attr.tree', emptyTree],
]

const base: Readonly<Record<string, string>> = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/dev/null',
  XDG_CONFIG_HOME: '/dev/null',
  LC_ALL: 'C',
  TZ: 'UTC',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: ':',
  GIT_PAGER: 'cat',
  GIT_SSH_COMMAND: '/bin/false',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_PROTOCOL_FROM_USER: '0',
  ...Object.fromEntries(
    baseConfig.flatMap(([key, value], i) => [
      [`GIT_CONFIG_KEY_${i}`, key],
      [`GIT_CONFIG_VALUE_${i}`, value],
    ]),
  ),
}
