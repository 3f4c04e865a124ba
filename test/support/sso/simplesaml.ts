import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { send } from '../http/send.ts'
import { keyPair } from './certificates.ts'

/** Where Debian's package "simplesamlphp" has its pages. */
const pages = '/usr/share/simplesamlphp/www'

/** Returns why SimpleSAMLphp cannot run here; undefined if it can. */
export function whyNoSimpleSaml(): string | undefined {
  if (!existsSync(join(pages, 'saml2/idp/SSOService.php'))) return 'simplesamlphp is not installed'
  try {
    execFileSync('php', ['-v'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'php is not installed'
  }
}

const email = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'

/**
 * The address that SimpleSAMLphp has in its metadata; `SimpleSaml` sends requests to its process
 * instead.
 */
export const simpleSamlUrl = 'https://sso.example.org'

type Person = { name: string; password: string; email: string; givenName: string; surname: string }

/** Returns the settings of an identity provider for one person and one service, by file. */
function settings(folder: string, person: Person, signsResponse: boolean): Record<string, string> {
  const php = (value: string) => `'${value.replace(/['\\]/g, '\\$&')}'`
  return {
    'config.php': `<?php
$config = [
  'baseurlpath' => ${php(`${simpleSamlUrl}/`)},
  'certdir' => ${php(`${folder}/`)},
  'loggingdir' => ${php(`${folder}/log/`)},
  'datadir' => ${php(`${folder}/`)},
  'tempdir' => ${php(`${folder}/temporary/`)},
  'secretsalt' => 'a salt of the tests',
  'auth.adminpassword' => 'an admin of the tests',
  'timezone' => 'UTC',
  'logging.handler' => 'file',
  'enable.saml20-idp' => true,
  'module.enable' => ['exampleauth' => true, 'core' => true, 'saml' => true],
  'metadata.sources' => [
    ['type' => 'flatfile', 'directory' => ${php(folder)}],
    ['type' => 'xml', 'file' => ${php(`${folder}/service.xml`)}],
  ],
  'store.type' => 'phpsession',
];`,
    'authsources.php': `<?php
$config = ['people' => ['exampleauth:UserPass', ${php(`${person.name}:${person.password}`)} => [
  'email' => [${php(person.email)}], 'givenName' => [${php(person.givenName)}], 'surname' => [${php(person.surname)}],
]]];`,
    'saml20-idp-hosted.php': `<?php
$metadata[${php(`${simpleSamlUrl}/idp`)}] = [
  'host' => '__DEFAULT__',
  'privatekey' => 'key.pem',
  'certificate' => 'certificate.pem',
  'auth' => 'people',
  'saml20.sign.response' => ${signsResponse},
  'NameIDFormat' => ${php(email)},
  'authproc' => [3 => ['class' => 'saml:AttributeNameID', 'attribute' => 'email', 'Format' => ${php(email)}]],
];`,
  }
}

type Page = Awaited<ReturnType<typeof send>>

/** A SimpleSAMLphp on this machine, with a browser of its own that keeps cookies. */
export class SimpleSaml {
  readonly #folder = mkdtempSync(join(tmpdir(), 'stemma-simplesaml-'))
  readonly #cookies = new Map<string, string>()
  #child: ChildProcess | undefined
  #url = ''
  readonly person: Person

  constructor(person: Person) {
    this.person = person
  }

  /** Starts it; `service` is the metadata of the service that it knows. */
  async start(service: string, { signsResponse }: { signsResponse: boolean }): Promise<void> {
    const { key, certificate } = keyPair('simplesaml')
    const files = {
      ...settings(this.#folder, this.person, signsResponse),
      'key.pem': key,
      'certificate.pem': certificate,
      'service.xml': service,
    }

    for (const name of ['log', 'temporary', 'sessions'])
      mkdirSync(join(this.#folder, name), { recursive: true })
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.#folder, name), text)
    const sessions = `session.save_path=${join(this.#folder, 'sessions')}`
    const child = spawn('php', ['-d', sessions, '-S', '127.0.0.1:0', '-t', pages], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env.PATH, SIMPLESAMLPHP_CONFIG_DIR: this.#folder },
    })

    this.#child = child
    this.#url = await new Promise((resolve, reject) => {
      let said = ''
      child.stderr.on('data', chunk => {
        said += chunk
        const found = /\((http:\/\/127\.0\.0\.1:\d+)\) started/.exec(said)?.[1]
        if (found) resolve(found)
      })
      child.once('exit', () => reject(new Error(said)))
    })
  }

  async stop(): Promise<void> {
    const child = this.#child
    if (child && child.exitCode === null) {
      child.kill()
      await once(child, 'exit')
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Returns the metadata of the identity provider. */
  async metadata(): Promise<string> {
    return (await this.#visit('GET', `${simpleSamlUrl}/saml2/idp/metadata.php`)).text
  }

  /**
   * Opens an address, signs the person in where it leads, and returns the form that answers the
   * service.
   */
  async signIn(address: string): Promise<{ action: string; fields: Record<string, string> }> {
    const login = formOf(await this.#visit('GET', address))
    const { name, password } = this.person
    const fields = { ...login.fields, username: name, password }
    return formOf(await this.#visit('POST', login.action || this.#last, fields))
  }

  #last = ''

  /** Sends a request of the browser and follows redirects. */
  async #visit(method: string, address: string, fields?: Record<string, string>): Promise<Page> {
    const { origin, pathname, search } = new URL(address, this.#last || undefined)
    assert.equal(origin, simpleSamlUrl)
    this.#last = origin + pathname + search
    const page = await send(this.#url + pathname + search, {
      method,
      headers: {
        connection: 'close',
        cookie: [...this.#cookies].map(pair => pair.join('=')).join('; '),
        ...(fields && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body: fields && new URLSearchParams(fields).toString(),
    })

    for (const cookie of page.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) as unknown as [string, string, string]
      this.#cookies.set(name, value)
    }

    const target = page.headers.get('location')

    return target === null ? page : this.#visit('GET', target)
  }
}

const withoutEscapes = (text: string): string =>
  text
    .replace(/&#0?39;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')

/** Returns the first form of a page that is sent by POST: its address and its hidden fields. */
function formOf({ status, text }: Page): { action: string; fields: Record<string, string> } {
  assert.equal(status, 200, text)
  const form = [...text.matchAll(/<form[^>]*>[\s\S]*?<\/form>/g)].map(([form]) => form).find(isPost)
  assert.ok(form, text)
  const attributeOf = (tag: string, name: string) =>
    withoutEscapes(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '')
  const inputs = [...form.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) => tag)
  const fields = Object.fromEntries(
    inputs.map(tag => [attributeOf(tag, 'name'), attributeOf(tag, 'value')]),
  )

  return { action: attributeOf(form, 'action'), fields }
}

const isPost = (form: string): boolean => /^<form[^>]*method="post"/i.test(form)
