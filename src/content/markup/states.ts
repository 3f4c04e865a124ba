import type MarkdownIt from 'markdown-it'
import type { Env, StateInline, Token } from 'markdown-it'

type Nesting = Token['nesting']
type Parser = InstanceType<typeof MarkdownIt>

/** A token like those of the package, with its fields in one shape. */
class PlainToken {
  map = null
  level = 0
  children = null
  content = ''
  markup = ''
  info = ''
  block = false
  hidden = false
  type: string
  tag: string
  attrs = null
  nesting: Nesting
  meta = null

  constructor(type: string, tag: string, nesting: Nesting) {
    this.type = type
    this.tag = tag
    this.nesting = nesting
  }
}

/**
 * The state of inline parsing like that of the package. Its other methods are those of the package.
 */
class PlainState {
  pos = 0
  level = 0
  pending = ''
  pendingLevel = 0
  cache = {}
  backticks = {}
  backticksScanned = false
  skipHtmlSpecial = false
  linkLevel = 0
  delimiters: StateInline['delimiters'] = []
  _prev_delimiters: StateInline['_prev_delimiters'] = []
  Token = PlainToken
  src: string
  env: Env
  md: Parser
  tokens: Token[]
  tokens_meta: StateInline['tokens_meta']
  posMax: number

  constructor(src: string, md: Parser, env: Env, tokens: Token[]) {
    this.src = src
    this.env = env
    this.md = md
    this.tokens = tokens
    this.tokens_meta = Array(tokens.length)
    this.posMax = src.length
  }

  pushPending(): Token {
    const token = newToken('text', '', 0)
    token.content = this.pending
    token.level = this.pendingLevel
    this.tokens.push(token)
    this.pending = ''
    return token
  }

  push(type: string, tag: string, nesting: Nesting): Token {
    if (this.pending) this.pushPending()
    const token = newToken(type, tag, nesting)
    let meta: StateInline['tokens_meta'][number]

    if (nesting < 0) {
      this.level--
      this.delimiters = this._prev_delimiters.pop()!
    }

    token.level = this.level

    if (nesting > 0) {
      this.level++
      this._prev_delimiters.push(this.delimiters)
      this.delimiters = []
      meta = { delimiters: this.delimiters }
    }

    this.pendingLevel = this.level
    this.tokens.push(token)
    this.tokens_meta.push(meta)

    return token
  }
}

/** Returns a token of the package. */
export const newToken = (type: string, tag: string, nesting: Nesting): Token =>
  new PlainToken(type, tag, nesting) as Partial<Token> as Token

/**
 * Makes a parser create tokens and states of one shape each. The package defines their fields one
 * by one, which takes a sixth of the time of parsing a page.
 */
export function usePlainStates({ block, inline }: Parser): void {
  const tokens = new inline.State('', {} as Parser, {}, []).Token.prototype
  Object.setPrototypeOf(PlainToken.prototype, tokens)
  Object.setPrototypeOf(PlainState.prototype, inline.State.prototype)
  inline.State = PlainState as unknown as typeof inline.State
  block.State = class extends block.State {
    override push(type: string, tag: string, nesting: Nesting): Token {
      const token = newToken(type, tag, nesting)
      token.block = true
      if (nesting < 0) this.level--
      token.level = this.level
      if (nesting > 0) this.level++
      this.tokens.push(token)
      return token
    }
  }
}
