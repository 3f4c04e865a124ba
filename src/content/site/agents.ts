/** Words in the user agents of programs that read for language models. */
export const agentNames: readonly string[] = [
  'GPTBot',
  'ChatGPT-User',
  'OAI-SearchBot',
  'ClaudeBot',
  'Claude-User',
  'Claude-SearchBot',
  'anthropic-ai',
  'PerplexityBot',
  'Perplexity-User',
  'Google-Extended',
  'CCBot',
  'Bytespider',
  'Amazonbot',
  'meta-externalagent',
  'cohere-ai',
]

const pattern = new RegExp(agentNames.join('|'), 'i')

/**
 * Returns whether a user agent is that of a known agent. Agents may send another one: this is a
 * courtesy, not a lock.
 */
export const isAgent = (userAgent: string | undefined): boolean =>
  userAgent !== undefined && pattern.test(userAgent)

/** Words in the user agents of programs that no reader looks at. */
const programs =
  /bot\b|bot[/;-]|crawl|spider|slurp|archiver|preview|monitor|headless|lighthouse|curl|wget|python|java\/|go-http|okhttp|axios|node|undici|libwww|feed/i

/** Returns whether a user agent is that of a program, or missing. */
export const isProgram = (userAgent: string | undefined): boolean =>
  userAgent === undefined || programs.test(userAgent) || isAgent(userAgent)
