"""Where the program and the truth files differ, and who is right: (capture, check) -> (what the program says, why).

A value of None is not pinned. See truth.py for the names of the checks, docs/captures.md for the bytes in which each was seen."""

FRAMED = 'a stream of RTP over TCP (RFC 4571), which tshark and the walk do not look for'
HEP_RTCP = 'a HEP envelope that carries an RTCP report as JSON'
UNKNOWN_TYPE = 'tshark lets packets of a type that nobody announced take part in the jitter of the known one'

COPIES = 'every second frame of one link is a copy made by the capture (same IP identification, TTL and bytes)'
EVENTS = 'tshark counts telephone-events, whose timestamps stand still; here they do not move jitter'
FRAME_VIDEO = 'tshark leaves packets of the same timestamp out of its mean; RFC 3550 A.8 takes each'
COPY_COUNTED = 'tshark lets the one duplicate packet move jitter'
COPY_STEPPED = 'the second copy of the first packet is what the next one is compared with there'
DELTA_AFTER = 'tshark leaves comfort noise, and what follows it or an event, out of the longest delta'
LONE_RTCP = 'tshark takes feedback that travels alone, encrypted, for RTP with the marker or for nothing'
SHORT_STREAM = 'two packets, to an address that SDP announced; the walk begins at three'
METHODS = 'tshark wants a method of its list on a port other than 5060; these requests are told by their version'
NOT_SIP = 'no SIP: HTTP with port 5060'
FUZZED = 'random damage; told by other rules, and a NUL does not end a Call-ID here'
FAX_AS_T38 = 'tshark takes 27 packets of this stream for T.38'

FAX = 'ndpi-FAX-Call-t38-CA-TDM-SIP-FB-1.masked.pcap'
FUZZ = 'ndpi-fuzz-2006-06-26-2594.masked.pcap'
PROTOS = 'sipnab-c07-sip-r2.converted.pcap'

DIFFERENCES = {
    ('hepws-hep.pcap', 'rtcp'): ('1', HEP_RTCP),
    ('ndpi-rtp.pcapng', 'other_streams'): ('1', FRAMED),
    ('asttest-ulaw-2013785496.pcap', 'jitter[0]'): ('3.828 6.775', EVENTS),
    (FAX, 'sip'): ('69', COPIES),
    (FAX, 'call_id[0]'): ('100:8 180:2 200:12 488:2 ACK:8 BYE:2 INVITE:8 OPTIONS:4', COPIES),
    (FAX, 'jitter[0]'): ('0.268 1.253', UNKNOWN_TYPE),
    (FAX, 'delta[0]'): ('286.074', DELTA_AFTER),
    (FAX, 'jitter[1]'): ('1.410 6.974', FAX_AS_T38),
    (FUZZ, 'sip'): ('60', FUZZED),
    (FUZZ, 'call_id[1]'): (None, FUZZED),
    (FUZZ, 'call_id[2]'): (None, FUZZED),
    (FUZZ, 'call_id[5]'): (None, FUZZED),
    (FUZZ, 'call_id[7]'): (None, FUZZED),
    (FUZZ, 'call_id[9]'): (None, FUZZED),
    (FUZZ, 'call_id[17]'): (None, FUZZED),
    (FUZZ, 'other_call_ids'): ('6', FUZZED),
    (FUZZ, 'jitter[4]'): ('2.882 2.882', UNKNOWN_TYPE),
    ('ndpi-http_on_sip_port.pcap', 'call_id[0]'): ('none', NOT_SIP),
    ('ndpi-rtp.pcapng', 'rtcp'): ('3', LONE_RTCP),
    ('ndpi-rtp.pcapng', 'jitter[4]'): ('0.844 1.431', FRAME_VIDEO),
    ('rtpproxy-dups.a.nopayload.pcap', 'delta[0]'): ('38.950', COPY_STEPPED),
    ('rtpproxy-dups.a.nopayload.pcap', 'jitter[0]'): ('0.056 1.184', COPY_COUNTED),
    ('rtpproxy-dups.a.nopayload.pcap', 'rtpproxy_jitter[0]'): ('0.056 1.184', COPY_STEPPED),
    ('sipnab-Asterisk_ZFONE_XLITE.pcap', 'other_streams'): ('1', SHORT_STREAM),
    ('sipnab-SIP_DTMF2.cap', 'delta[0]'): ('30.256', DELTA_AFTER),
    ('sipnab-SIP_DTMF2.cap', 'jitter[0]'): ('0.008 0.016', EVENTS),
    (PROTOS, 'sip'): ('32', METHODS),
    (PROTOS, 'other_call_ids'): ('20', METHODS),
    ('sipnab-h263-over-rtp.pcap', 'jitter[0]'): ('17.659 32.186', FRAME_VIDEO),
}
