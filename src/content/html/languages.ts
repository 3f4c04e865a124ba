import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import clojure from 'highlight.js/lib/languages/clojure'
import cmake from 'highlight.js/lib/languages/cmake'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import dart from 'highlight.js/lib/languages/dart'
import diff from 'highlight.js/lib/languages/diff'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import elixir from 'highlight.js/lib/languages/elixir'
import erlang from 'highlight.js/lib/languages/erlang'
import fsharp from 'highlight.js/lib/languages/fsharp'
import go from 'highlight.js/lib/languages/go'
import graphql from 'highlight.js/lib/languages/graphql'
import groovy from 'highlight.js/lib/languages/groovy'
import haskell from 'highlight.js/lib/languages/haskell'
import http from 'highlight.js/lib/languages/http'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import julia from 'highlight.js/lib/languages/julia'
import kotlin from 'highlight.js/lib/languages/kotlin'
import less from 'highlight.js/lib/languages/less'
import lua from 'highlight.js/lib/languages/lua'
import makefile from 'highlight.js/lib/languages/makefile'
import markdown from 'highlight.js/lib/languages/markdown'
import nginx from 'highlight.js/lib/languages/nginx'
import objectivec from 'highlight.js/lib/languages/objectivec'
import perl from 'highlight.js/lib/languages/perl'
import php from 'highlight.js/lib/languages/php'
import powershell from 'highlight.js/lib/languages/powershell'
import properties from 'highlight.js/lib/languages/properties'
import protobuf from 'highlight.js/lib/languages/protobuf'
import python from 'highlight.js/lib/languages/python'
import r from 'highlight.js/lib/languages/r'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import scala from 'highlight.js/lib/languages/scala'
import scss from 'highlight.js/lib/languages/scss'
import shell from 'highlight.js/lib/languages/shell'
import sql from 'highlight.js/lib/languages/sql'
import swift from 'highlight.js/lib/languages/swift'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

/**
 * The languages that are coloured, by the name that readers see, with their grammar and further
 * names.
 */
export const languages = {
  Shell: { grammar: bash, names: 'bash sh zsh fish' },
  Console: { grammar: shell, names: 'shell console shellsession terminal' },
  C: { grammar: c, names: 'c h' },
  Clojure: { grammar: clojure, names: 'clojure clj' },
  CMake: { grammar: cmake, names: 'cmake' },
  'C++': { grammar: cpp, names: 'cpp c++ cc cxx hpp arduino' },
  'C#': { grammar: csharp, names: 'csharp cs c#' },
  CSS: { grammar: css, names: 'css' },
  Dart: { grammar: dart, names: 'dart' },
  Diff: { grammar: diff, names: 'diff patch' },
  Dockerfile: { grammar: dockerfile, names: 'dockerfile docker' },
  Elixir: { grammar: elixir, names: 'elixir ex exs' },
  Erlang: { grammar: erlang, names: 'erlang erl' },
  'F#': { grammar: fsharp, names: 'fsharp fs f#' },
  Go: { grammar: go, names: 'go golang' },
  GraphQL: { grammar: graphql, names: 'graphql gql' },
  Groovy: { grammar: groovy, names: 'groovy gradle jenkinsfile' },
  Haskell: { grammar: haskell, names: 'haskell hs' },
  HTTP: { grammar: http, names: 'http https' },
  INI: { grammar: ini, names: 'ini toml conf cfg hcl terraform tf' },
  Java: { grammar: java, names: 'java' },
  JavaScript: { grammar: javascript, names: 'javascript js jsx mjs cjs node' },
  JSON: { grammar: json, names: 'json json5 jsonc webmanifest' },
  Julia: { grammar: julia, names: 'julia jl' },
  Kotlin: { grammar: kotlin, names: 'kotlin kt kts' },
  Less: { grammar: less, names: 'less' },
  Lua: { grammar: lua, names: 'lua' },
  Makefile: { grammar: makefile, names: 'makefile make mk' },
  Markdown: { grammar: markdown, names: 'markdown md mdx' },
  nginx: { grammar: nginx, names: 'nginx nginxconf' },
  'Objective-C': { grammar: objectivec, names: 'objectivec objective-c objc' },
  Perl: { grammar: perl, names: 'perl pl' },
  PHP: { grammar: php, names: 'php' },
  PowerShell: { grammar: powershell, names: 'powershell pwsh ps ps1' },
  Properties: { grammar: properties, names: 'properties env dotenv' },
  'Protocol Buffers': { grammar: protobuf, names: 'protobuf proto' },
  Python: { grammar: python, names: 'python py python3' },
  R: { grammar: r, names: 'r' },
  Ruby: { grammar: ruby, names: 'ruby rb' },
  Rust: { grammar: rust, names: 'rust rs' },
  Scala: { grammar: scala, names: 'scala sc' },
  SCSS: { grammar: scss, names: 'scss sass' },
  SQL: { grammar: sql, names: 'sql mysql postgresql postgres pgsql plsql tsql sqlite' },
  Swift: { grammar: swift, names: 'swift' },
  TypeScript: { grammar: typescript, names: 'typescript ts tsx mts cts' },
  HTML: { grammar: xml, names: 'html xhtml vue svelte' },
  XML: { grammar: xml, names: 'xml svg rss atom xsd xsl plist razor cshtml' },
  YAML: { grammar: yaml, names: 'yaml yml' },
} as const
