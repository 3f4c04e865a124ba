import { stemInEnglish } from './stem.ts'

/** Groups of words and phrases that manuals in English use for each other. */
const groups = [
  'set up, setup',
  'log in, login, log on, logon, sign in, signin, authenticate',
  'log out, logout, log off, sign out, signout',
  'sign up, signup, register',
  'turn off, switch off, disable, deactivate',
  'turn on, switch on, enable, activate',
  'shut down, shutdown, stop, terminate',
  'back up, backup',
  'roll back, rollback, revert, undo',
  'look up, lookup',
  'upgrade, migrate, update',
  'delete, remove',
  'several, multiple, many',
  'my own, custom, customize',
  'config, configuration, settings',
  'docs, documentation',
  'db, database',
  'k8s, kubernetes',
  'auth, authentication',
  'js, javascript',
  'mongo, mongodb',
  'postgres, postgresql',
  'env, environment',
  'repo, repository',
  'dir, directory, folder',
  'cli, command line, terminal',
  'picture, image',
  'password, credential, secret',
  'error, exception, failure',
  'cancel, abort',
  'language, locale, localization, translation',
  'cpu, processor',
  'destination, target',
  'cron, schedule, timer, recurring',
  'price, pricing, billing',
  'permission, access right',
  'website, web site',
  'web page, webpage',
  'host name, hostname',
  'file name, filename',
  'user name, username',
  'time out, timeout',
  'time zone, timezone',
  'health check, healthcheck',
  'stack trace, stacktrace',
  'e mail, email',
].map(group => group.split(', ').map(phrase => phrase.split(' ')))

const keyOf = (words: readonly string[]): string => words.map(stemInEnglish).join(' ')

const byKey = new Map<string, string[][]>()

for (const group of groups)
  for (const phrase of group) {
    const others = group.filter(each => each !== phrase)
    byKey.set(keyOf(phrase), [...(byKey.get(keyOf(phrase)) ?? []), ...others])
  }

/** Returns the words and phrases that mean the same as some adjacent words, in lower case. */
export const synonymsOf = (words: readonly string[]): readonly string[][] =>
  byKey.get(keyOf(words)) ?? []

/** Reports whether two adjacent words are a version: "version 2" is often written as "v2". */
export const isVersion = (first: string, second: string): boolean =>
  first === 'version' && /^\d+$/.test(second)

/** Reports whether two adjacent words have one meaning together. */
export const isPhrase = (first: string, second: string): boolean =>
  isVersion(first, second) || byKey.has(keyOf([first, second]))
