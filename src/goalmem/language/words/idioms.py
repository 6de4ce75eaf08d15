"""Idioms whose words also have a plain meaning: who is in hot water need not be in water.

Those of the Oxford Dictionary of Idioms (3rd ed., 2009) that are common in conversation and describe somebody.
"""

from __future__ import annotations

import re

_OWN = r"(?:my|your|his|her|our|their|its|one['’]s|the|[\w-]{1,30}['’]s)"
_STATES = (
    r"in (?:hot|deep|troubled) waters?|in (?:the same|a similar) boat|on cloud (?:nine|9|seven)|in (?:a|quite a|such a) (?:pickle|jam|bind|fix|stew|rut|tight spot|tight corner|dark place|bubble|fog)"
    r"|in the (?:dog ?house|closet|clouds|red|black|dark|loop|zone|bag|pipeline|limelight|spotlight|hot seat|firing line|driving seat|driver['’]s seat|weeds|trenches|doldrums|picture)"
    r"|on (?:very |really )?thin ice|on the (?:fence|rocks|ropes|ball|hook|same page|back burner|warpath|mend|map|wagon)|out of the woods|out on a limb|up (?:the|a) creek|up in the air|over the moon"
    r"|under the (?:weather|bus|thumb|pump|radar)|back (?:to|at|on) square one|at (?:a|the) crossroads|at sea|at the end of (?:my|your|his|her|our|their) (?:rope|tether)"
    rf"|on fire|on a roll|on edge|on pins and needles|on egg ?shells|in stitches|in pieces|in limbo|in good hands|in {_OWN} shoes|in over {_OWN} head|off the hook"
    r"|between a rock and a hard place|behind the eight ball|head over heels|all (?:ears|eyes|thumbs|mouth)|dead on (?:my|his|her|their) feet|a fish out of water|the black sheep|the apple of"
)
IDIOMATIC_STATE = re.compile(rf"\b(?:{_STATES})\b", re.IGNORECASE)
"""How somebody is: of a thing, the same words are meant plainly (`the milk is on ice`)."""
_HELD = (
    rf"frogs? in {_OWN} throat|butterflies(?: in {_OWN} (?:stomach|tummy|belly))?|lump in {_OWN} throat|chips? on {_OWN} shoulder|ants in {_OWN} pants"
    rf"|skeletons? in {_OWN} (?:closet|cupboard)|bones? to pick|axe to grind|fish to fry|on {_OWN} plate|sweet tooth|green (?:thumb|fingers)|cold feet|itchy feet|(?:two )?left feet"
    rf"|soft spot|screw loose|(?:thick|thin) skin|upper hand|heart of (?:gold|stone)|head in the clouds|eyes in the back of|monkey on {_OWN} back|leg to stand on|bats in {_OWN} belfry"
    rf"|nerves of steel|(?:ace|card|trick)s? up {_OWN} sleeve|bee in {_OWN} bonnet|foot in the door|{_OWN} hands full|short fuse|hollow leg|dog in (?:the|this) fight|horse in (?:the|this) race"
    rf"|skin in the game|bun in the oven|elephant in the room|ducks in a row|stars in {_OWN} eyes|blood on {_OWN} hands|big(?:ger)? fish|kittens about|a cow about|field day|travel bug|heavy heart"
    r"|a memory like|other fish|many irons in the fire|irons? in the fire|ball in (?:my|your|his|her|our|their) court|plate full"
)
_DONE = (
    r"(?:break|broke|broken|breaking|breaks) (?:the ice|the bank|a leg|(?:my|his|her|their) heart)|kick(?:ed|s|ing)? the bucket|spill(?:ed|s|ing|t)? the beans|cats? out of the bag|rain(?:ed|s|ing)? cats and dogs|cats and dogs"
    r"|(?:walk|walked|walking|walks) on egg ?shells|(?:bite|bit|bitten|biting) (?:the bullet|the dust|off more)|hit(?:s|ting)? the (?:sack|hay|road|roof|ceiling|books|nail|jackpot|ground running)|pull(?:ed|s|ing)? (?:my|your|his|her|our|their|\w+['’]s) leg"
    r"|an arm and a leg|jump(?:ed|s|ing)? (?:the gun|on the bandwagon|ship)|burn(?:ed|t|s|ing)? (?:my|your|his|her|our|their|the) bridges?|cut(?:s|ting)? corners|cr(?:y|ied|ies|ying) wolf"
    r"|(?:throw|threw|thrown) in the towel|new leaf|can of worms|(?:the wrong|up the wrong) tree|(?:a|beat)round the bush|fuel (?:to|on) the fire|(?:miss|missed|missing|rock|rocked|rocking|push|pushed) the boat"
    r"|face(?:d|s)? the music|bur(?:y|ied|ying) the hatchet|chew(?:ed|ing)? the fat|humble pie|two birds with one stone|(?:my|his|her|their|your) foot in (?:it|(?:my|his|her|their|your) mouth)|bull by the horns"
    r"|(?:heart on (?:my|his|her|their|your) sleeve)|in the foot|drop(?:ped|ping)? the ball|ben[dt](?:ing)? over backwards?|pass(?:ed|ing)? the buck|smell(?:ed|s|t)? a rat|run out of steam|cold turkey|(?:go|went|going|gone) (?:bananas|nuts)"
    r"|(?:lose|lost|losing) (?:my|his|her|their|your|our) (?:mind|marbles|head|shirt|tongue|temper|way|voice|cool|nerve)|under (?:my|his|her|their) skin|on (?:my|his|her|their) nerves|over (?:my|his|her|their) dead body"
)
_HYPERBOLES = (
    r"(?:dying|died|die) (?:to (?!(?:the|a|an|my|our|his|her|their|this|that)\b)\w+|for (?:a|an|some|the|my|more|another|something|you|your|news)\b|(?:of|from|with) (?:boredom|laughter|laughing|embarrassment|shame|curiosity|hunger|thirst|heat|excitement|envy|jealousy|suspense|the heat|the cold|cuteness))"
    r"|dead (?:tired|serious|beat|set|certain|sure|broke)|(?:is|are|was|were|['’]s|['’]re) killing (?:me|him|her|us|them)"
)
IDIOMATIC = re.compile(rf"\b(?:{_HELD}|{_DONE}|{_HYPERBOLES})\b", re.IGNORECASE)
"""What somebody has or does, and exaggerations (hyperbole: Claridge 2011)."""
