"""English words that prose is made of: none of them is taken for the name of a definition unless it is written as one.

A word that is missing here is no harm as long as no definition bears it; a word too many only has to be put into back-ticks to be a name.
"""

from __future__ import annotations

_FUNCTION = """
    a about above across after again against all almost alone along already also although always am among an and another any anybody anyone
    anything anywhere are around as at away back be became because become becomes been before behind being below beneath beside besides between
    beyond both but by can cannot could did do does done down due during each either else elsewhere enough even ever every everybody everyone
    everything everywhere except few for from further had has have having he hence her here hers herself him himself his how however i if in
    indeed inside instead into is it its itself just least less like many may maybe me meanwhile might mine more moreover most mostly much must my
    myself near neither never nevertheless no nobody none nor not nothing now nowhere of off often on once one only onto or other others otherwise
    ought our ours ourselves out outside over own per perhaps quite rather really same several shall she should since so some somebody somehow
    someone something sometimes somewhere still such than that the their theirs them themselves then thence there thereby therefore therein these
    they this those though through throughout thus till to together too toward towards two under underneath unless unlike until unto up upon us
    usually very via was we well were what whatever when whenever where whereas whereby wherein wherever whether which whichever while who whoever
    whole whom whose why will with within without would yes yet you your yours yourself yourselves
"""
FUNCTION_WORDS = frozenset(_FUNCTION.split())
"""Words that say nothing by themselves: they are no names at the beginning of a sentence either."""

_COMMON = """
    able absent accept access account act action active actual add additional adjust admin advance agree aim alias allow alter alternative amount
    analyse analyze answer apart appear append application apply approach appropriate area argue argument arise arrange array arrive article aside
    ask aspect assign assume async attach attempt attribute author authority automatic available avoid aware await backend bad bare base basic
    basis bear begin behave behavior behaviour belong best better big bind bit black blank block blue body book boolean bottom boundary branch
    break bring browser buffer bug build bundle business busy button byte cache call caller callback cancel capture care carry case cast catch
    cause certain chain change channel character charge check child choice choose circle circumstance claim class clean clear cli client clock
    clone close code collect collection column combine come command comment commit common communicate compare compatible compile complete complex
    component compose compute computer concern condition configuration configure confirm conflict connect connection consider consist console
    constant constraint construct consume contact contain content context continue contract contrary control convert cookie copy core correct cost
    count counter couple course cover crash create creation credential current custom cut cycle daemon damage data database date day deal debug
    decide decision declare decode decorate decorator deep default defer define definition delay delegate delete deliver deny depend dependency
    deprecate derive describe description design destroy detail detect determine develop developer device dictionary differ difference different
    digit direct direction directory disable disk dispatch display distinct divide document domain dot double draw drive drop dry dump duplicate
    dynamic early earlier easy edge edit editor effect element emit empty enable encode encrypt end endpoint enforce engine enter entire entry
    environment equal equivalent error escape essential establish evaluate event evidence exact example exceed exception exclude exclusive execute
    exist exit expect expensive expire explain explicit export expose express expression extend extension external extra extract fact fail failure
    fall false fast fault favor favour feature feed fetch field figure file fill filter final find fine finish first fit fix flag flat flow flush
    folder follow following force foreign forget form formal format former forward fragment frame framework free fresh front full function future
    gain garbage gather general generate generator get give global go good grant graph great group grow guarantee guard guess guide half halt hand
    handle handler happen hard hash head header heavy height help helper hidden hide hierarchy high hint history hit hold home hook host hour html
    http huge human idea identical identify identifier idle ignore image immediate immutable implement implementation implicit import important
    imply impossible improve include income incoming incorrect increase increment index indicate individual information inherit initial initialize
    inject inline inner input insert inspect install instance instruction integer integrate intend interface internal interpret interrupt
    introduce invalid invalidate invoke involve issue item iterate iteration job join json jump keep key keyword kill kind know knowledge label
    lack language large last late later latest latter layer layout lazy lead leaf leak learn leave left legacy length let letter level library
    life lifetime limit line link list listen literal little live load local locate location lock log logic long look lookup loop
    lose loss lot low lower machine main maintain make manage manager manner manual map mapping mark match material matter maximum mean measure
    mechanism meet member memory mention merge message meta method middle middleware mind minimum minor minute miss mistake mix mode model modern
    modify module moment monitor month mount move multiple mutable name namespace native natural necessary need negative nest nested network new
    next node normal note notice notify null number numeric object obtain obvious occur offer offset old omit open operate operation operator
    opposite option optional order ordinary organize origin original outer outgoing output overall overflow override overwrite owner pack package
    packet page pair panic parallel parameter parent parse parser part partial participate particular party pass password past patch path pattern
    pause pay peer pending people perform period permission permit person phase pick piece pipe place plain plan plugin point pointer policy pool
    poor pop popular port portion position positive possible post potential practice precede prefer prefix prepare presence present preserve press
    prevent previous price primary print prior private problem procedure proceed process processor produce product program progress project
    promise proper property propose protect protocol prove provide provider proxy public publish pull pure purpose push put query question queue
    quick quiet quit quote raise random range rank raw reach read reader ready real reason receive recent recognize record recover recursive red
    redirect reduce refer reference refresh refuse region register registration regular reject relate relation relative release relevant rely
    remain remember remote remove rename render repeat replace reply report repository represent request require requirement reserve reset resolve
    resource respect respond response responsible rest restart restore restrict result resume retain retry return reuse reveal reverse revert
    review rewrite right ring rise role roll root round route router routine row rule run runtime safe sample save say scale scan schedule schema
    scheme scope score screen script search second secret section secure security see seek select self send sense separate sequence serial
    serialize series serve server service session set setting setup shadow shape share sharp sheet shell shift short show shut side sign signal
    signature significant silent similar simple single site size skip sleep slice slot slow small socket soft software solve sort source space
    span spawn speak special specific specify speed split stack stage stale stand standard start state statement static statistic status stay step
    stick stop storage store story strategy stream strict strike string strip strong structure style sub subclass subject submit subset succeed
    success sufficient suffix suggest suit sum summary super supply support suppose sure surface suspend swap switch symbol sync synchronous
    syntax system table tag tail take talk target task tear tell template temporary term terminal terminate test text thing think thread three
    throw tie time timeout timestamp timer title token tool top topic total touch trace track trail transaction transfer transform transition
    translate transport treat tree trigger trim true truncate trust truth try tuple turn twice type typical understand undo unify union unique
    unit universal unknown unsafe unused update upgrade upload upper url usage use useful user usual utility valid validate value variable variant
    vary verify version view violate virtual visible visit wait walk want warn warning watch way weak wear web week weight wide width wild win
    window wire wish word work worker world worse worst wrap wrapper write writer wrong year yield zero zone
"""
COMMON_WORDS = FUNCTION_WORDS | frozenset(_COMMON.split())
"""Words of everyday English and of prose about software, in their bare form."""

_ENDINGS = (("ies", "y"), ("ied", "y"), ("es", ""), ("s", ""), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"), ("ly", ""), ("er", "e"))
_IRREGULAR = """
    ate began begun bent bought bound broke broken brought built came caught chose chosen cut dealt drew drawn drove driven fed fell fallen felt
    forgot forgotten fought found gave given went gone got gotten grew grown heard held hid hung kept knew known led left lent let lost made meant
    met paid put ran read rose risen rewritten rewrote said sang sat saw seen sent set shown shut slept sold spent split spoke spoken stood struck
    swept taken taught tied threw thrown thought told took understood wore woke won wound written wrote
"""
_FORMS = frozenset(_IRREGULAR.split())


def is_common(word: str) -> bool:
    """Whether the word (lower case) is everyday English, in any of its usual forms."""
    if word in COMMON_WORDS or word in _FORMS:
        return True
    stems = [word.removesuffix(ending) + instead for ending, instead in _ENDINGS if word.endswith(ending) and len(word) > len(ending) + 1]
    # `stopped`, `running`: the last letter of the stem is doubled.
    stems += [stem[:-1] for stem in stems if len(stem) > 2 and stem[-1] == stem[-2]]
    return any(stem in COMMON_WORDS for stem in stems)
