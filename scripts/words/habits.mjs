/**
 * Habits of wording that this project does not want: patterns of prose, titles, messages, commit subjects and names. The rules behind
 * them are in docs/contributing/voice.md. A habit is a hint; the ceilings leave room for sentences that are good anyway.
 */

/** "Behind a proxy" is the term of the field. */
const PROXY = String.raw`(?:an? |the |your |its |such an? |one |another |some )?(?:[\w-]+ )?(?:prox(?:y|ies)|load.?balancers?|balancers?|nginx|CDNs?|gateways?|firewalls?|TLS|NAT|[Ss]cenes?|flags?)`
const DETERMINER =
  '(?:it|they|there|that|those|one|some|somebody|nobody|none|no|nothing|all|each|any|another|its|their|an?|only|neither|both)'
const VERB = '(?:is|are|was|were|be|been|being)'

/** Habits of prose. Each is a pattern with the name that `--list` prints. */
const PROSE = [
  [
    'what-clause',
    /\b[Ww]hatever\b|\b[Ww]hat (?:is|was|are|were|has|have|had|it|they|he|an?|the|that|those|no|comes?|came|stands?|makes?|its|this|each|their|nobody|somebody|follows?|remains?|may|must|can|would|others?|all|one|goes|reads?|needs?|only|another|looks?|any|of|leads?|belongs?|costs?|does|do|did|gets?|gives?)\b(?![^.!:]*\?)/g,
  ],
  [
    'give/tell/bear',
    /\b(?:gives?|gave|tells?|told|bears?|telling)\b(?! (?:you|up|rise|me|feedback|credit|away|a hint|priority|the difference)\b)(?! (?:the|each|every|it|them|your) (?:\w+ ){0,3}(?:an?|the|its|access|time|control|more)\b)(?<!(?:to|can|must|cannot) tell)/gi,
  ],
  [
    'give/tell/bear',
    /\b(?:took|takes?|taking) (?:apart|it|them|that|those|none|no|nothing|what|what's|such|anything|any|all|in what)\b(?! (?:into|for granted|as (?:a|an|its|the)|to mean|from there|down|out))/gi,
  ],
  [
    'where for if/when',
    new RegExp(
      String.raw`(?<!\b(?:place|places|point|points|spot|line|lines|position|state|case|cases|environment|environments|file|files|folder|directory|site|scope|example|situation|situations|section|platform|platforms|know|see|decide|shows?|cases?|from|location|is|layer|module|instances?|style|class|reports?|to) )\b[Ww]here ${DETERMINER}\b`,
      'g',
    ),
  ],
  [
    'where for if/when',
    /(?:^|[,:;(] ?|\bexcept |\bor |\band |\balso )[Ww]here (?:the|nothing|something|several|two|more|you)\b(?! to\b)/g,
  ],
  [
    'pronoun for a noun',
    /\b(?:that|those|ones) of\b|\bthose (?:that|which|who|whose|for|in|with|above|below|before)\b|\b(?:the|that|any|each|every|another|for|of|no|only|such|than|is|as) one (?:of (?!the|these|those|its|our|your|several|two|many)|that|which|who|whose|for)\b|\bof (?:theirs|its|hers|ours|yours)(?=[.,;:)]|$| (?:where|when|is|are|that))|^(?:Those|That|One|All|None|Such) (?:of|that|which|who|whose|are|is|as|where|with)\b/g,
  ],
  [
    'stand',
    /\b(?:stands?|stood|standing)\b(?!-?(?:alone|ard|out|s? out|s? up|s? down|by| up| by| down| in for| for))/gi,
  ],
  [
    'alone/by itself/anew',
    /(?<!\b(?:stand|let|leave|left|standing)[ -])\balone\b|\bby (?:itself|themselves|its own|their own)\b|\bof (?:its|their|his|our|my) own\b|\bonce more\b|\banew\b|\ban own\b|\bthe framework's own\b|\bany more\b(?=[.,;:)]|$)|\bfor itself\b|\bfor themselves\b/gi,
  ],
  ['nobody/whoever', /\b(?:nobody|somebody|whoever|everybody|whom|whomever)\b/gi],
  [
    'is no/is none',
    new RegExp(
      String.raw`\b${VERB} (?:none|no(?! (?:longer|more|better|different|way|need|guarantee|reason|point|[a-z]+ way|one|doubt|good|problem|such|direct|built-?in|equivalent|exception|need|difference)\b))\b(?<!\b(?:there|There|Is|Are) (?:is|are|was|were|be) no(?:ne)?)|\b(?:has|have|had|with|is there|(?<!(?:[Ii]f|[Ww]hen) )there (?:is|are)) none\b|\bnone (?:of (?:its|it|theirs)|where|when|that|for)\b`,
      'g',
    ),
  ],
  [
    'nothing as subject',
    /^(?:Nothing|Something|None) (?:is|of|that|waits|leaves?|reads?|gives?|stands?|comes?|may|has|more)\b|\b(?:nothing|something) (?:of|more (?:is|of|comes)|comes?|leads?|waits?|is (?:lost|kept|left|asked|said|missing|read|sent|known|used|awaited|there|named|shown))\b/g,
  ],
  [
    'opens with a preposition',
    /^(?:Of|In which|For (?:which|how|whom|an?|what|those|the|all|each|every|one|requests|answers)|From (?:how|which|here)|By (?:the|what|their|its|name|slot|call|version|request)|Whose|To which|Under which|On which|With which|At which|How (?:it|a|an|the|its|they|far|often|long|many|much)|Who|Whom|As far|Behind)\b(?![^.]*\?)(?!.{0,30}\b(?:more|details|example|instance|default|now|compatibility|reference)\b)(?![^.:]{0,60},)/g,
  ],
  [
    'behind/in front of',
    new RegExp(
      String.raw`\bbehind\b(?! ${PROXY}\b)(?! the scenes)|\bin front of\b(?! ${PROXY}\b)(?! (?:it|them|your|the (?:app|server)))`,
      'gi',
    ),
  ],
  [
    'as far as/as long as',
    /\b(?:as|so) far as\b|\b(?:as|so) long as (?:nothing|nobody|no|none|it has|it is|one|that)\b|\bhowever (?:short|long|small|large|many|much|often|it|they|he|clever)\b/gi,
  ],
  ['unless given', /\bunless (?:given|said|told|named|asked|set otherwise)\b/gi],
  [
    'answer for response',
    /\b(?:an|the|its|their|this|that|each|every|any|no|another|of|all|other|such|some|such|first|last|same|later|own|both|error|cached|late|kept|known|whole|second|previous|these|those|your|check|refuse|as|about|to) answers?\b(?! (?:to|is yes|is no|the question)\b)|^(?:Answers|Answer) (?:to|of|that|with|are|is|have|has|may|must|without|from|for)\b|\banswer'?s'? (?:header|headers|field|fields|body|status|schema|head)\b/g,
  ],
  [
    'text for string',
    /\b(?:no|a|an|any|the empty|empty|one|neither a|other) texts?\b(?! (?:node|file|files|body|editor|field|fields|content|area|input|block|message|frame|response|format|mode|document|box|encoder|decoder|search|is|color|format|string|value|data|to|of|stream|response|link|that describes|-))|\btexts\b/g,
  ],
  ['record for object', /\b(?:no|a|the|is|as|one) (?:plain )?record\b(?! (?:type|of type|that)\b)|\brecords of\b/g],
  [
    'way (of a request)',
    /\bthe way (?:of an?|of the|of its|of requests|back|on)\b(?! (?:which|how|that))|\b(?:left|leaves|leave|from) (?:its|the|their) way\b|\bon (?:its|their) way\b(?! (?:to|that|you|we|it|the))|\bway back\b|\b(?:its|whose|their|with a|no|every|of the) way out\b/gi,
  ],
  [
    'is to do',
    new RegExp(
      String.raw`\b(?:is|are|was|were) to (?:be|have|find|do|take|give|make|go|come|know|keep|hold|end|begin|stand|wait|answer|see|show|say|get|read|run|use|change|remain|stay|follow)\b(?<!\b(?:goal|purpose|job|option|options|way|aim|approach|alternative|solution|idea|intent|point|thing|default|choice|reason|recommendation|workaround|fix|task|role|pattern|example|practice|method|plan|step|intention|convention|strategy|here|all|best|only|first|need|easiest|simplest|preference|use|usage|trick|policy)\b.{0,24} to \w+)`,
      'g',
    ),
  ],
  [
    'inversion',
    /\b(?!Never (?:do|have)\b)(?:So|so|Never|never|Nor|nor|Only then|only then|Such|Neither|More) (?:is|are|does|do|can|has|have|must|was|were|never|may)\b(?! (?:it|they) (?:possible|true))(?<!\b(?:not|do|does|did|can|is|are|will|must|has|have|should|could|would|was|be|we|that|you|which|and|to) (?:never|so) \w+)|(?:^|[.;:] )Should (?:the|an?|it|its|this) \w+ (?!be\b)\w+\b[^?.]*,|\bare there\b(?=[.,;:]|$)|\bis there(?=[.,;:]|$)/g,
  ],
  [
    'passive pet verb',
    new RegExp(
      String.raw`\b(?:${VERB}|get|gets|got) (?:told|asked|said|let go|looked at|looked for|waited for|spared|spoken|answered (?:by|as|with)|held to|left to|made of)\b(?! (?:you|that you))`,
      'g',
    ),
  ],
  [
    'let go/goes on',
    /\b(?:lets?|letting) go\b|\bgo(?:es)? on (?:with|at|in|from|there|when|where|until|alone)\b|\bgo(?:es)? (?:along|round|first|last)\b|\bhas (?:left|come|gone)(?=[.,;:]|$| (?:already|yet|while|before))|\bfrom (?:\w+ ){1,3}on\b(?=[.,;:]|$)|\bthere and then\b/gi,
  ],
  [
    'at once',
    /\bat once\b(?<!(?:all|many|several|multiple|more|two|three|requests|everything|connections|streams|open|one|parallel|time) at once)/gi,
  ],
  [
    'has to/need not',
    /\bneed not\b|\bneeds no\b|\bhas to have\b|\bought to\b|\bshall\b(?! not be)|\blest\b|\bwhence\b|\bthereof\b|\btherein\b|\bwhereof\b|\bhither\b|\bfor who\b|\bthereby\b|\bmeanwhile\b/g,
  ],
  [
    'spelling',
    /\b(?:serial|normal|initial|recogn|organ|author|optim|summar|capital|custom|minim|maxim|util|synchron|emphas|special|general|real|final)is(?:e[sd]?|ing|ation)\b|\b(?:behaviour|colour|neighbour|honour|favour|centre|analyse|catalogue|licence|modelling|labelled|time-outs?)\w*/gi,
  ],
  [
    'has no/knows nothing',
    /\b(?:knows?|learns?|says?|costs?|does|do|shows?|finds?|loses?|leaves?|means?|keeps?|makes?|gets?|sends?|reads?|changes?|holds?|wants?|promises?) (?:nothing|none)\b(?! (?:more than|but|if|when|unless|by default)\b)(?<!\bdo nothing)|\bis of no\b|\b(?:holds|knows|says|names|asks|keeps|begins|ends|takes|makes|gives|hides) no\b(?! (?:longer|more|difference|assumptions?|guarantees?|claims?|sense)\b)/g,
  ],
]

/** Habits of test titles, beside those of prose. */
const TITLE = [
  [
    'title is not a verb phrase',
    /^(?:what|whose|of|where|nobody|whoever|by|behind|the same|not|also|no|nothing|only|all|each|that|those|one|ones|whatever|every|none|even|but|and|or|so|as|nor|either|neither|both|once|until|unless|if|when|while|before|after|another|others|some) (?!(?:if|when) )/i,
  ],
  ['plural title', /^(?:are|have|do|were|stand|come|hold)\b/],
  [
    'passive pet verb',
    /^(?:is|are|was) (?:refused|taken|kept|given|told|left|held|said|asked|shown|let|looked|waited|spared|meant|made|found|made|known|no|none|not)\b/,
  ],
]

/** Habits of messages, beside those of prose. */
const MESSAGE = [
  ['is no/is none', /\b(?:is|are) no(?:ne)? [a-z]+\b|\b(?:is|are) neither\b.*\bnor\b/],
  ['write for fix', /\b(?:Say|Give|Take|Let) (?:it|them|one|a|an|the|its|less|that|what)\b/],
]

const COMMIT = [
  [
    'not a verb of change',
    /^(?:Let|Give|Keep|Say|Hold|Tell|Take|Begin|Name|Have|Bear|Put|Ask|Look|Show|Count|Know|Call|Answer|Get|Bring|Stand|Go|Come|Leave|Speak|Think|One|All|The|No|Not|What|A)\b/,
  ],
  ['more than 72 characters', /^.{73,}/],
  ['bare merge', /^Merge (?:branch|remote)/],
]

/** Words that describe a thing without naming it; a function or type with only such a name is a riddle. */
const PARTICIPLES = new Set(
  `made given taken found known kept held shown asked said told sent left lost bound written drawn begun spoken cut gone met worn built
  spare usual own others other rest bare whole last most least absent both either without together within below behind above`.split(
    /\s+/,
  ),
)
const NOT_PARTICIPLES = new Set([
  'need',
  'feed',
  'seed',
  'embed',
  'exceed',
  'proceed',
  'speed',
  'shed',
  'bed',
  'led',
  'red',
  'shared',
  'nested',
  'sled',
  'succeed',
  'bleed',
  'breed',
  'thread',
  'unified',
  'indeed',
  'precompiled',
])

/** Returns the habit of a name, or `null`. `kind` is `function`, `const` or `type`. */
function nameHabit(kind, name) {
  if (/^(?:MOST|LONGEST|SHORTEST|DEEPEST|FARTHEST|LARGEST|FEWEST|LEAST|HIGHEST|BIGGEST|OLDEST)(?:_|$)/.test(name))
    return 'MAX_/MIN_'
  if (kind === 'const') return null
  if (
    kind === 'function' &&
    /[a-z0-9]Of$/.test(name) &&
    !/^(?:indexOf|lastIndexOf|instanceOf|isInstanceOf|typeOf|valueOf|oneOf|anyOf|allOf|sizeOf|arrayOf|listOf|sumOf|isOneOf)$/.test(
      name,
    )
  )
    return 'ends in Of'
  const lower = name.toLowerCase()
  if (/[A-Z].*[A-Z]/.test(name) || (kind === 'function' && /[A-Z]/.test(name))) {
    return kind === 'function' && /^(?:made|given|taken|kept|known|held|shown|asked|said|told|sent)[A-Z]/.test(name)
      ? 'participle'
      : null
  }
  const isParticiple = PARTICIPLES.has(lower) || (/[a-z]{2}ed$/.test(lower) && !NOT_PARTICIPLES.has(lower))
  return isParticiple ? 'participle' : null
}

/** Splits a text into sentences, because some habits only count at the beginning of one. */
const SENTENCES = /(?<=[.:;]) +(?=[A-Z])/

function patternsFor(kind, isTest) {
  if (kind === 'titles') return isTest ? [...PROSE, ...TITLE] : PROSE
  if (kind === 'messages') return [...PROSE, ...MESSAGE]
  return kind === 'commits' ? [...PROSE, ...COMMIT] : PROSE
}

/**
 * Finds the habits in one text.
 *
 * @param kind `comments`, `titles`, `docs`, `messages`, `names` or `commits`
 * @param entry text without code and links; names also have a `nameKind`, titles `isTest`
 * @returns a description of each, with the words that matched
 */
export function findHabits(kind, { text, nameKind, isTest }) {
  if (kind === 'names') return [nameHabit(nameKind, text)].filter((habit) => habit !== null)
  return patternsFor(kind, isTest).flatMap(([habit, pattern]) => {
    const parts = pattern.source.startsWith('^') && kind !== 'commits' ? text.split(SENTENCES) : [text]
    const all = new RegExp(pattern.source, pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`)
    return parts.flatMap((part) => [...part.matchAll(all)].map(([words]) => `${habit} "${words.trim().slice(0, 30)}"`))
  })
}
